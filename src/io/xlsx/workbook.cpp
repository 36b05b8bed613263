#include "io/xlsx/workbook.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <memory>

#include "base/error.h"
#include "io/text/spelling.h"
#include "io/xlsx/date.h"
#include "io/xlsx/xml.h"

namespace cmr::io {
namespace {

constexpr size_t kMostMemory = size_t{256} << 20;  // for what a small archive may unpack to
constexpr size_t kMostEntries = 1 << 16;           // sheets, relations, cell formats: Excel's own limit for the last

// One part of the workbook, read to its end.
class Part : public XmlReader {
  public:
    explicit Part(const std::shared_ptr<ZipMember>& member)
        : XmlReader([member](std::span<std::byte> bytes) { return member->read(bytes); }, member->name()) {}

  protected:
    void end(std::string_view) override {}
    void text(std::string_view) override {}
    template <typename Entries>
    void check_count(const Entries& entries, const char* what) const {
        if (entries.size() >= kMostEntries) throw InputError("{}: more than {} {}", name(), kMostEntries, what);
    }
};

int whole_number(std::string_view text) {
    int number = -1;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

struct Relation {
    std::string id;
    std::string type;    // the last word of its address: worksheet, styles, sharedStrings, officeDocument
    std::string target;  // a member
};

class Relations : public Part {
  public:
    Relations(const std::shared_ptr<ZipMember>& member, std::string folder) : Part(member), folder_(std::move(folder)) {
        run();
    }
    std::vector<Relation> found;

  private:
    void start(std::string_view element, const XmlAttributes& attributes) override {
        if (element != "Relationship" || attributes.get("TargetMode") == "External") return;
        check_count(found, "relations");
        const std::string_view type = attributes.get("Type");
        fs::path target(attributes.get("Target"));
        target = target.is_absolute() ? target.lexically_relative("/") : fs::path(folder_) / target;
        found.push_back({std::string(attributes.get("Id")), std::string(type.substr(type.rfind('/') + 1)),
                         target.lexically_normal().string()});
    }
    std::string folder_;
};

class Sheets : public Part {
  public:
    struct Entry {
        std::string name;
        std::string relation;
    };
    explicit Sheets(const std::shared_ptr<ZipMember>& member) : Part(member) { run(); }
    std::vector<Entry> found;
    bool dates_from_1904 = false;

  private:
    void start(std::string_view element, const XmlAttributes& attributes) override {
        if (element == "workbookPr") {
            const std::string_view flag = attributes.get("date1904");
            dates_from_1904 = flag == "1" || flag == "true";
        } else if (element == "sheet") {
            check_count(found, "sheets");
            found.push_back({std::string(attributes.get("name")), std::string(attributes.get("id"))});
        }
    }
};

class Styles : public Part {
  public:
    explicit Styles(const std::shared_ptr<ZipMember>& member) : Part(member) { run(); }
    std::vector<bool> is_date;

  private:
    void start(std::string_view element, const XmlAttributes& attributes) override {
        if (element == "numFmt") {
            check_count(custom_, "number formats");
            custom_[whole_number(attributes.get("numFmtId"))] = is_date_format(attributes.get("formatCode"));
        } else if (element == "cellXfs") {
            in_cell_formats_ = true;
        } else if (element == "xf" && in_cell_formats_) {
            check_count(is_date, "cell formats");
            const int id = whole_number(attributes.get("numFmtId"));
            const auto custom = custom_.find(id);
            is_date.push_back(custom != custom_.end() ? custom->second : is_date_format(id));
        }
    }
    void end(std::string_view element) override {
        if (element == "cellXfs") in_cell_formats_ = false;
    }
    std::map<int, bool> custom_;
    bool in_cell_formats_ = false;
};

class Strings : public Part {
  public:
    explicit Strings(const std::shared_ptr<ZipMember>& member) : Part(member) { run(); }
    SharedStrings found;

  private:
    void start(std::string_view element, const XmlAttributes&) override {
        if (element == "rPh") in_phonetics_ = true;  // how to pronounce the text
        in_text_ = element == "t" && !in_phonetics_;
    }
    void end(std::string_view element) override {
        if (element == "rPh") in_phonetics_ = false;
        in_text_ = false;
        if (element != "si") return;
        found.close();
        check();
    }
    void text(std::string_view part) override {
        if (!in_text_) return;
        found.append(part);
        check();
    }
    void check() const {
        if (found.bytes() > kMostMemory) throw InputError("{}: more than {} MB of texts", name(), kMostMemory >> 20);
    }
    bool in_text_ = false;
    bool in_phonetics_ = false;
};

class Reading {
  public:
    Reading(const ZipArchive& archive, const std::string& path) : archive_(archive), path_(path) {}

    Workbook read(const std::string& wanted) {
        // The package says where the workbook is; xl/workbook.xml nearly always.
        std::string home = "xl/workbook.xml";
        if (archive_.find("_rels/.rels"))
            for (const Relation& relation : relations_of(""))
                if (relation.type == "officeDocument") home = relation.target;
        const Sheets sheets(member(home));
        const std::vector<Relation> relations = relations_of(home);
        Workbook book;
        book.dates_from_1904 = sheets.dates_from_1904;
        choose_sheet(book, sheets.found, relations, wanted);
        for (const Relation& relation : relations) {
            if (relation.type == "styles") book.date_style = std::move(Styles(member(relation.target)).is_date);
            if (relation.type == "sharedStrings") book.strings = std::move(Strings(member(relation.target)).found);
        }
        return book;
    }

  private:
    std::shared_ptr<ZipMember> member(const std::string& name) const {
        const auto index = archive_.find(name);
        if (!index) throw InputError("{}: no member {} in this archive, so it is no workbook", path_, shown(name));
        return std::make_shared<ZipMember>(archive_.open(*index));
    }

    // The relations of a member stand beside it, in _rels.
    std::vector<Relation> relations_of(const std::string& name) const {
        const fs::path path(name);
        const std::string folder = path.parent_path().string();
        const fs::path rels = path.parent_path() / "_rels" / (path.filename().string() + ".rels");
        return Relations(member(rels.string()), folder).found;
    }

    void choose_sheet(Workbook& book, const std::vector<Sheets::Entry>& sheets, const std::vector<Relation>& relations,
                      const std::string& wanted) const {
        std::vector<std::string> names;
        for (const Sheets::Entry& sheet : sheets) {
            const auto relation = std::ranges::find(relations, sheet.relation, &Relation::id);
            if (relation == relations.end() || relation->type != "worksheet") continue;
            names.push_back(sheet.name);
            if (!wanted.empty() && trimmed(sheet.name) != trimmed(wanted)) continue;
            const auto index = archive_.find(relation->target);
            if (!index)
                throw InputError("{}: its sheet {} should be the member {}, which is not there", path_,
                                 shown(sheet.name), shown(relation->target));
            book.sheet = sheet.name;
            book.sheet_member = *index;
            return;
        }
        if (names.empty()) throw InputError("{}: a workbook without a sheet of cells", path_);
        throw InputError("{}: no sheet {}; it has {}", path_, shown(wanted), shown_names(names));
    }

    static std::string shown_names(const std::vector<std::string>& names) {
        std::string list;
        for (size_t i = 0; i < std::min<size_t>(names.size(), 8); ++i) list += (i ? ", " : "") + shown(names[i]);
        return list + (names.size() > 8 ? ", ..." : "");
    }

    const ZipArchive& archive_;
    const std::string& path_;
};

}  // namespace

Workbook read_workbook(const ZipArchive& archive, const std::string& path, const std::string& sheet) {
    return Reading(archive, path).read(sheet);
}

}  // namespace cmr::io
