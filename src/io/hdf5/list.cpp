#include "io/hdf5/list.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/error.h"
#include "io/arrays/array_names.h"

namespace cmr::io {
namespace {

constexpr size_t kMostElements = 1'000'000;  // of a struct or cell array

// A text attribute of fixed length, as MATLAB writes them; empty where there is none.
std::string text_attribute(hid_t object, const char* name) {
    if (H5Aexists(object, name) <= 0) return "";
    const Hdf5Handle attribute(H5Aopen(object, name, H5P_DEFAULT));
    const Hdf5Handle type(H5Aget_type(attribute.id()));
    const Hdf5Handle space(H5Aget_space(attribute.id()));
    std::array<char, 64> text{};
    if (H5Tget_class(type.id()) != H5T_STRING || H5Tis_variable_str(type.id()) != 0 ||
        H5Tget_size(type.id()) >= text.size() || H5Sget_simple_extent_npoints(space.id()) != 1 ||
        H5Aread(attribute.id(), type.id(), text.data()) < 0)
        return "";
    return printable(text.data());
}

// The names of the hard links of a group. Other links lead to what has its own name, or out of the file.
std::vector<std::string> members(hid_t group) {
    std::vector<std::string> names;
    const auto add = [](hid_t, const char* name, const H5L_info_t* info, void* list) -> herr_t {
        try {
            if (info->type == H5L_TYPE_HARD) static_cast<std::vector<std::string>*>(list)->push_back(name);
            return 0;
        } catch (...) {  // must not pass through C
            return -1;
        }
    };
    H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, nullptr, add, &names);
    return names;
}

bool is_numeric_class(const std::string& matlab_class) {
    constexpr std::array<const char*, 11> kClasses{"double", "single", "int8",  "uint8",  "int16",  "uint16",
                                                   "int32",  "uint32", "int64", "uint64", "logical"};
    return std::ranges::find(kClasses, matlab_class) != kClasses.end();
}

const char* type_obstacle(H5T_class_t type) {
    switch (type) {
        case H5T_INTEGER:
        case H5T_FLOAT:
        case H5T_ENUM:
            return "";
        case H5T_STRING:
            return "text";
        case H5T_COMPOUND:
            return "made of records (a compound type)";
        case H5T_REFERENCE:
            return "made of references";
        default:
            return "of a type that is not a number";
    }
}

class Lister {
  public:
    Lister(const std::string& path, uint64_t file_bytes) : path_(path), file_bytes_(file_bytes), budget_(path) {}

    std::vector<Hdf5Array> list(hid_t file) {
        const Hdf5Handle root(H5Gopen2(file, "/", H5P_DEFAULT));
        if (!root.valid()) throw InputError("{}: the HDF5 file has no readable root group", path_);
        const std::vector<std::string> names = members(root.id());
        for (const std::string& name : names) {
            const Hdf5Handle object(H5Oopen(root.id(), name.c_str(), H5P_DEFAULT));
            if (object.valid() && H5Aexists(object.id(), "MATLAB_class") > 0) matlab_ = true;
        }
        for (const std::string& name : names) {
            if (matlab_ && name.starts_with('#')) continue;  // #refs#, #subsystem#: what the variables refer to
            visit(Hdf5Handle(H5Oopen(root.id(), name.c_str(), H5P_DEFAULT)),
                  fmt::format("{}{}", matlab_ ? "" : "/", printable(name)));
        }
        return std::move(arrays_);
    }

  private:
    void visit(const Hdf5Handle& object, const std::string& name) {
        budget_.spend(name);
        H5O_info_t info;
        if (!object.valid() || H5Oget_info2(object.id(), &info, H5O_INFO_BASIC) < 0)
            return add(name, {}, "damaged: the HDF5 library cannot open it");
        budget_.enter(name);
        if (info.type == H5O_TYPE_DATASET)
            dataset(object, name, info.addr);
        else if (info.type == H5O_TYPE_GROUP && visited_.insert(info.addr).second)  // groups may hold each other
            matlab_ ? matlab_group(object, name) : group(object, name);
        budget_.leave();
    }

    void group(const Hdf5Handle& group, const std::string& name) {
        for (const std::string& member : members(group.id()))
            visit(Hdf5Handle(H5Oopen(group.id(), member.c_str(), H5P_DEFAULT)), name + "/" + printable(member));
    }

    void matlab_group(const Hdf5Handle& group, const std::string& name) {
        const std::string matlab_class = text_attribute(group.id(), "MATLAB_class");
        if (H5Aexists(group.id(), "MATLAB_sparse") > 0) return add(name, {}, "a sparse matrix");
        if (!matlab_class.empty() && matlab_class != "struct")
            return add(name, {}, fmt::format("a {} of MATLAB", matlab_class));
        const std::vector<std::string> fields = members(group.id());
        std::vector<std::vector<hobj_ref_t>> elements;  // of the fields that have one value per element
        std::vector<std::string> element_fields;
        std::vector<std::string> labels;
        for (const std::string& field : fields) {
            Hdf5Handle value(H5Oopen(group.id(), field.c_str(), H5P_DEFAULT));
            if (!is_references(value) || text_attribute(value.id(), "MATLAB_class") == "cell") {
                visit(value, name + "." + printable(field));
                continue;
            }
            elements.push_back(references(value, name));
            element_fields.push_back(printable(field));
            if (elements.front().size() != elements.back().size())
                throw InputError("{}: {} has {} elements of {}, but {} of {}", path_, name, elements.front().size(),
                                 element_fields.front(), elements.back().size(), element_fields.back());
            labels.resize(elements.front().size());
            if (field != "Name") continue;
            for (size_t i = 0; i < labels.size(); ++i) labels[i] = read_label(dereference(group, elements.back()[i]));
        }
        const std::vector<std::string> names = element_names(name, labels);
        for (size_t i = 0; i < labels.size(); ++i)
            for (size_t j = 0; j < elements.size(); ++j)
                visit(dereference(group, elements[j][i]), names[i] + "." + element_fields[j]);
    }

    void dataset(const Hdf5Handle& dataset, const std::string& name, haddr_t address) {
        if (matlab_ && is_references(dataset)) {
            size_t cell = 0;
            for (const hobj_ref_t reference : references(dataset, name))
                visit(dereference(dataset, reference), fmt::format("{}{{{}}}", name, ++cell));
            return;
        }
        const Hdf5Handle space(H5Dget_space(dataset.id()));
        std::array<hsize_t, H5S_MAX_RANK> lengths{};
        const int axes = H5Sget_simple_extent_dims(space.id(), lengths.data(), nullptr);
        if (axes < 0) return add(name, {}, "damaged: it has no readable shape");
        std::vector<int64_t> shape(lengths.begin(), lengths.begin() + axes);
        if (matlab_) std::ranges::reverse(shape);
        add(name, shape, obstacle(dataset, space, shape), address);
    }

    // Why the dataset gives no numbers; empty: it does.
    std::string obstacle(const Hdf5Handle& dataset, const Hdf5Handle& space, const std::vector<int64_t>& shape) const {
        const Hdf5Handle type(H5Dget_type(dataset.id()));
        const Hdf5Handle layout(H5Dget_create_plist(dataset.id()));
        if (matlab_ && H5Aexists(dataset.id(), "MATLAB_empty") > 0) return "empty";
        const std::string matlab_class = text_attribute(dataset.id(), "MATLAB_class");
        if (matlab_ && matlab_class == "char") return "text";
        if (matlab_ && !matlab_class.empty() && !is_numeric_class(matlab_class))
            return fmt::format("a {} of MATLAB", matlab_class);
        if (matlab_ && H5Tget_class(type.id()) == H5T_COMPOUND) return "complex";
        if (const std::string no_number = type_obstacle(H5Tget_class(type.id())); !no_number.empty()) return no_number;
        if (H5Sget_simple_extent_type(space.id()) == H5S_NULL || std::ranges::count(shape, 0) > 0) return "empty";
        // Such a dataset could have us read any file of this machine.
        if (H5Pget_layout(layout.id()) == H5D_VIRTUAL || H5Pget_external_count(layout.id()) != 0)
            return "stored in another file";
        if (H5Dget_storage_size(dataset.id()) == 0) return "without any value written";
        // No filter packs tighter; otherwise a few bytes could declare a dataset without end.
        constexpr uint64_t kTightest = 4096;
        uint64_t most = (file_bytes_ + kTightest) * kTightest / std::max<size_t>(H5Tget_size(type.id()), 1);
        for (const int64_t length : shape) {
            if (length < 0 || static_cast<uint64_t>(length) > most)
                return fmt::format("declared as {}, more than a file of {} bytes can hold", shape_text(shape),
                                   file_bytes_);
            most /= static_cast<uint64_t>(length);
        }
        return "";
    }

    static bool is_references(const Hdf5Handle& object) {
        if (!object.valid() || H5Iget_type(object.id()) != H5I_DATASET) return false;
        const Hdf5Handle type(H5Dget_type(object.id()));
        return H5Tequal(type.id(), H5T_STD_REF_OBJ) > 0 && H5Aexists(object.id(), "MATLAB_empty") == 0;
    }

    std::vector<hobj_ref_t> references(const Hdf5Handle& dataset, const std::string& name) const {
        const Hdf5Handle space(H5Dget_space(dataset.id()));
        const hssize_t count = H5Sget_simple_extent_npoints(space.id());
        if (count < 0 || static_cast<size_t>(count) > kMostElements)
            throw InputError("{}: {} has {} elements, expected at most {}", path_, name, count, kMostElements);
        std::vector<hobj_ref_t> list(static_cast<size_t>(count));
        if (count > 0 && H5Dread(dataset.id(), H5T_STD_REF_OBJ, H5S_ALL, H5S_ALL, H5P_DEFAULT, list.data()) < 0)
            throw InputError("{}: the references of {} cannot be read; the file is damaged", path_, name);
        return list;
    }

    static Hdf5Handle dereference(const Hdf5Handle& from, hobj_ref_t reference) {
        return Hdf5Handle(H5Rdereference2(from.id(), H5P_DEFAULT, H5R_OBJECT, &reference));
    }

    // Empty where it is not a short text.
    static std::string read_label(const Hdf5Handle& text) {
        if (!text.valid() || H5Iget_type(text.id()) != H5I_DATASET ||
            text_attribute(text.id(), "MATLAB_class") != "char" || H5Aexists(text.id(), "MATLAB_empty") > 0)
            return "";
        const Hdf5Handle space(H5Dget_space(text.id()));
        const hssize_t length = H5Sget_simple_extent_npoints(space.id());
        std::array<uint16_t, 256> letters{};
        if (length < 0 || static_cast<size_t>(length) > letters.size() ||
            H5Dread(text.id(), H5T_NATIVE_UINT16, H5S_ALL, H5S_ALL, H5P_DEFAULT, letters.data()) < 0)
            return "";
        return label(std::span(letters).first(static_cast<size_t>(length)));
    }

    void add(const std::string& name, std::vector<int64_t> shape, std::string obstacle, haddr_t address = 0) {
        arrays_.push_back({{name, std::move(shape), std::move(obstacle)}, address, matlab_});
    }

    std::string path_;
    uint64_t file_bytes_;
    NameBudget budget_;
    bool matlab_ = false;
    std::set<haddr_t> visited_;
    std::vector<Hdf5Array> arrays_;
};

}  // namespace

std::vector<Hdf5Array> list_hdf5(const std::string& path, uint64_t file_bytes, hid_t file) {
    return Lister(path, file_bytes).list(file);
}

}  // namespace cmr::io
