#!/usr/bin/env bash
# Opens a page in a browser: on a desk, on a phone, in the dark and on paper. Nothing may be asked of the network, nothing
# may be complained about, and the pointer must find values. `browser.sh PROGRAM CHARTS READ_OUTS [FOLDER]`: the program
# writes the page to the file it is given; so many charts are on it, and so many have a read-out ("some": at least one).
# Pictures are left in the folder if one is named; exit code 77 when there is no Chromium.
set -euo pipefail
sample=$1 charts=$2 readings=$3 pictures=${4-}

browser=
for candidate in chromium chromium-browser google-chrome; do
    if command -v "$candidate" >/dev/null; then
        browser=$candidate
        break
    fi
done
if [[ -z $browser ]]; then
    echo "Chromium is not installed, so no page was opened." >&2
    exit 77
fi

work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
"$sample" "$work/page.html"

# What the page does when used, told in an attribute: errors, the read-out of each chart that has one, texts that overlap
# or are cut, overflow to the side, the widths drawn, and the colour of the paper.
cat >"$work/probe.js" <<'JS'
<script>
const faults = [];
window.addEventListener("error", (event) => faults.push(event.message));
document.addEventListener("securitypolicyviolation", (event) => faults.push("refused " + event.blockedURI));
window.addEventListener("load", () => {
  const shown = Array.from(document.querySelectorAll("svg.chart")).filter((svg) => svg.getClientRects().length);
  let readings = 0;
  const spoiled = [];
  for (const svg of shown) {
    // Boxes of text are higher than its letters, and the page has margins.
    const box = svg.viewBox.baseVal, texts = Array.from(svg.querySelectorAll("text"), (text) => {
      const b = text.getBBox();
      return { text: text.lastChild.textContent, left: b.x, right: b.x + b.width, top: b.y + 3, bottom: b.y + b.height - 3 };
    });
    texts.forEach((a, i) => {
      if (a.left < -4 || a.right > box.width + 4 || a.top < 0 || a.bottom > box.height) spoiled.push("cut: " + a.text);
      for (const b of texts.slice(i + 1))
        if (a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom)
          spoiled.push(a.text + " on " + b.text);
    });
    if (!svg.querySelector(".readings")) continue;
    svg.scrollIntoView();
    const matrix = svg.getScreenCTM(), row = svg.querySelector(".readings > g").dataset;
    const axis = svg.querySelector(".readings").dataset;
    const at = new DOMPoint(+axis.left * 0.6 + axis.right * 0.4, (+row.top + +row.bottom) / 2).matrixTransform(matrix);
    svg.dispatchEvent(new PointerEvent("pointermove", { clientX: at.x, clientY: at.y, bubbles: true }));
    readings += /\d/.test(svg.parentElement.querySelector(".read-out")?.textContent ?? "");
    svg.dispatchEvent(new PointerEvent("pointerleave"));
  }
  const root = document.documentElement;
  root.dataset.probe = JSON.stringify({
    faults, spoiled, readings, charts: shown.length, width: innerWidth, scrolls: root.scrollWidth > innerWidth,
    kinds: [...new Set(shown.map((svg) => svg.getAttribute("class")))],
    paper: getComputedStyle(document.body).backgroundColor,
    left: performance.getEntriesByType("resource").map((entry) => entry.name),
  });
  parent.postMessage(root.dataset.probe, "*");
});
</script>
JS
# First in the head, so that it sees every fault.
sed -e "/<head>/r $work/probe.js" "$work/page.html" >"$work/probed.html"
# A window is never as narrow as a phone, but a frame is.
cat >"$work/phone.html" <<'HTML'
<!DOCTYPE html><html><body style="margin:0"><script>
addEventListener("message", (event) => { document.documentElement.dataset.probe = event.data; });
</script><iframe src="probed.html" style="border:0;width:390px;height:800px"></iframe></body></html>
HTML

open_page() {
    timeout 120 "$browser" --headless --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$work/profile" \
        --disable-background-networking --no-first-run --host-resolver-rules='MAP * ~NOTFOUND' \
        --allow-file-access-from-files --virtual-time-budget=5000 --enable-logging=stderr --v=0 "$@"
}

look() {
    local name=$1 wanted=$2 page=$3
    shift 3
    open_page "$@" --dump-dom "file://$work/$page" >"$work/dom" 2>"$work/log"
    local probe
    probe=$(grep -o -m1 'data-probe="[^"]*"' "$work/dom" | sed 's/&quot;/"/g') || {
        echo "$name: no answer from the page"
        cat "$work/log"
        exit 1
    }
    echo "$name: $probe"
    if grep -E 'CONSOLE' "$work/log"; then
        echo "$name: the browser complains"
        exit 1
    fi
    for part in '"faults":[]' '"spoiled":[]' '"scrolls":false' '"left":[]' "$wanted"; do
        [[ $probe == *"$part"* ]] || { echo "$name: expected $part"; exit 1; }
    done
    for count in "charts $charts" "readings $readings"; do
        local what=${count% *} number=${count#* }
        [[ $number == some ]] && number='[1-9][0-9]*'
        [[ $probe =~ \"$what\":$number[,}] ]] || { echo "$name: expected $count"; exit 1; }
    done
}

look desk '"kinds":["chart wide"],"paper":"rgb(255, 255, 255)"' probed.html --window-size=1100,1000 \
    --blink-settings=preferredColorScheme=1
look phone '"width":390,"scrolls":false,"kinds":["chart narrow"]' phone.html --window-size=500,900
look dark '"paper":"rgb(18, 24, 31)"' probed.html --window-size=1100,1000 --blink-settings=preferredColorScheme=0

open_page --print-to-pdf="$work/page.pdf" "file://$work/page.html" >/dev/null 2>&1
[[ -s $work/page.pdf ]] || { echo "paper: nothing was printed"; exit 1; }

if [[ -n $pictures ]]; then
    mkdir -p "$pictures"
    picture() {
        local name=$1 page=$2
        shift 2
        open_page "$@" --screenshot="$pictures/report-$name.png" "file://$work/$page" >/dev/null 2>&1
    }
    sed -i 's/height:800px/height:6300px/; s/probed.html/page.html/' "$work/phone.html"
    picture desktop page.html --window-size=1100,5740 --blink-settings=preferredColorScheme=1
    picture phone phone.html --window-size=390,6300 --blink-settings=preferredColorScheme=1
    picture dark page.html --window-size=1100,5740 --blink-settings=preferredColorScheme=0
    cp "$work/page.pdf" "$pictures/report-print.pdf"
fi
