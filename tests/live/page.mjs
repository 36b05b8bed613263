// The page of `cmr watch --demo` in a real browser: sees an alarm, explains it, acknowledges, shelves, zooms; on a desk and
// on a phone. Usage: node page.mjs ADDRESS CHROMIUM OUT; playwright-core is found by NODE_PATH.
import { createRequire } from "node:module";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import assert from "node:assert/strict";
const { chromium } = createRequire(import.meta.url)("playwright-core");

const [address, executablePath, out] = process.argv.slice(2);
const flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
  "--disable-background-networking", "--disable-component-update", "--disable-sync"];
const browser = await chromium.launchPersistentContext(mkdtempSync(join(tmpdir(), "cmr-page-")), {
  executablePath, args: flags, viewport: { width: 1280, height: 900 } });
const complaints = [];
const watch = (page) => {
  page.on("console", (message) => { if (message.type() === "error") complaints.push(message.text()); });
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("request", (request) => { if (new URL(request.url()).origin !== new URL(address).origin && !request.url().startsWith("data:")) complaints.push("asked " + request.url()); });
};
const shot = (page, name) => out && page.screenshot({ path: join(out, name + ".png"), fullPage: true });

const page = await browser.newPage();
page.setDefaultTimeout(60000);  // a busy machine is slow, not wrong
watch(page);
await page.goto(address);
await page.waitForSelector(".asset");
assert.equal(await page.locator(".asset").count(), 4);
assert.ok(!page.url().includes("token"), "the token does not stay in the address");
const tile = page.locator('.asset[data-state="unacknowledged"]').first();
await tile.waitFor({ timeout: 120_000 });
await shot(page, "overview");
const name = await tile.locator("b").textContent();
await tile.click();
await page.waitForSelector('.badge[data-state="unacknowledged"]');
const words = await page.locator(".lead").textContent();
assert.match(words, /Look first at|Ask first|look at the sensor first|The machine as a whole/, words);
await page.waitForSelector(".uplot canvas");
await page.waitForSelector("td.words");
await shot(page, "asset");

const dialog = page.locator("dialog");
await page.getByRole("button", { name: "Acknowledge" }).click();
await dialog.getByLabel("Your name").fill("Ada");
await dialog.getByLabel("Why").fill("looking at it");
await dialog.getByRole("button", { name: "Acknowledge" }).click();
await page.getByText("acknowledged by Ada").first().waitFor();
await page.waitForSelector('.badge[data-state="acknowledged"], .badge[data-state="normal"]');  // it may be over by now

await page.getByRole("button", { name: "False alarm" }).first().click();
await dialog.getByLabel("Why").fill("a drill");
await dialog.getByRole("button", { name: "False alarm" }).click();
await page.getByText("marked as a false alarm by Ada").first().waitFor();
await page.getByRole("button", { name: "No false alarm after all" }).first().waitFor();
const cells = await page.evaluate(() => {  // of the map of effects that have a colour
  const heat = document.querySelector("canvas.heat"), data = heat.getContext("2d").getImageData(0, 0, heat.width, heat.height).data;
  let painted = 0;
  for (let i = 3; i < data.length; i += 4) painted += data[i] > 250;
  return painted / (data.length / 4);
});
assert.ok(cells > 0.3, `the map of effects is empty but for ${(100 * cells).toFixed(1)} %`);

await page.getByRole("button", { name: "Shelve" }).click();
await dialog.getByLabel("For").selectOption("24");
await dialog.getByRole("button", { name: "Shelve" }).click();
await page.waitForSelector('.badge[data-state="shelved"]', { timeout: 60000 });
await page.getByRole("button", { name: "Take off the shelf" }).click();
await dialog.getByLabel("Token of this monitor").fill("wrong");
await dialog.getByRole("button", { name: "Take off the shelf" }).click();
await dialog.getByText("a token is needed").waitFor();
await dialog.getByRole("button", { name: "Cancel" }).click();
complaints.splice(0, complaints.length, ...complaints.filter((text) => !text.includes("401")));

const chart = page.locator(".u-over");
let box = null;
while (!box) {  // it is drawn anew when something comes
  await chart.waitFor();
  box = await chart.boundingBox();
}
await page.mouse.move(box.x + box.width * 0.3, box.y + 50);
await page.mouse.down();
await page.mouse.move(box.x + box.width * 0.7, box.y + 60, { steps: 5 });
await page.mouse.up();
await page.getByRole("button", { name: "Back to now" }).click();
for (const range of ["1 h", "1 week", "1 day"]) {
  const before = Date.now();
  await page.getByRole("button", { name: range, exact: true }).click();
  await page.waitForSelector(`button[aria-pressed="true"]:text-is("${range}")`);
  console.log(`${range}: ${Date.now() - before} ms`);
}
await page.goto(new URL("#quality", address).href);
await page.getByRole("heading", { name: "Data quality" }).waitFor();
await page.getByText("journal of readings").waitFor();
await shot(page, "quality");

const phone = await browser.newPage();
watch(phone);
await phone.setViewportSize({ width: 390, height: 844 });
await phone.emulateMedia({ colorScheme: "dark" });
await phone.goto(address);
await phone.waitForSelector(".asset");
await shot(phone, "phone-overview");
await phone.goto(new URL("#asset=" + encodeURIComponent(name), address).href);
await phone.waitForSelector(".uplot canvas");
await phone.waitForSelector("td.words");
const wide = await phone.evaluate(() => document.documentElement.scrollWidth - innerWidth);
assert.ok(wide <= 0, `the page is ${wide} px wider than a phone`);
await shot(phone, "phone-asset");
await browser.close();
assert.deepEqual(complaints, []);
console.log("page: all well");
