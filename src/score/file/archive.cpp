#include "score/file/archive.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace cmr::score {
namespace {

using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

}  // namespace

Archive Archive::sibling(const std::string& name) const {
    return {*file_, prefix_.substr(0, prefix_.rfind('.') + 1) + name};
}

void Archive::put(const std::string& name, const MatrixView& values) {
    file_->tensors.push_back({prefix_ + "." + name,
                              {values.rows, values.columns},
                              {values.data, values.data + values.rows * values.columns}});
}

void Archive::put(const std::string& name, const Eigen::MatrixXd& values) {
    const RowMajor rounded = values.cast<float>();
    put(name, MatrixView{rounded.data(), rounded.rows(), rounded.cols()});
}

void Archive::put(const std::string& name, const Eigen::VectorXd& values) {
    const Eigen::VectorXf rounded = values.cast<float>();
    file_->tensors.push_back(
        {prefix_ + "." + name, {rounded.size()}, {rounded.data(), rounded.data() + rounded.size()}});
}

void Archive::put(const std::string& name, double value) {
    file_->tensors.push_back({prefix_ + "." + name, {}, {static_cast<float>(value)}});
}

void Archive::put_half(const std::string& name, const Eigen::MatrixXd& values) {
    put(name, values);
    file_->tensors.back().dtype = io::Dtype::f16;
}

void Archive::put_bytes(const std::string& name, const std::vector<uint8_t>& values, int64_t rows) {
    const int64_t columns = rows > 0 ? std::ssize(values) / rows : 0;
    file_->tensors.push_back({prefix_ + "." + name, {rows, columns}, {values.begin(), values.end()}, io::Dtype::u8});
}

bool Archive::has(const std::string& name) const {
    return std::ranges::any_of(file_->tensors, [&](const auto& tensor) { return tensor.name == prefix_ + "." + name; });
}

const io::NamedTensor& Archive::find(const std::string& name, size_t dimensions) const {
    const std::string whole = prefix_ + "." + name;
    const auto found = std::ranges::find(file_->tensors, whole, &io::NamedTensor::name);
    if (found == file_->tensors.end()) throw InputError("{}: no tensor {}", file_->source, whole);
    if (found->shape.size() != dimensions)
        throw InputError("{}: tensor {} has {} dimensions, expected {}", file_->source, whole, found->shape.size(),
                         dimensions);
    for (const float value : found->values)
        if (!std::isfinite(value)) throw InputError("{}: tensor {} holds {}", file_->source, whole, value);
    return *found;
}

Matrix Archive::matrix(const std::string& name) const {
    const io::NamedTensor& tensor = find(name, 2);
    Matrix out(tensor.shape[0], tensor.shape[1]);
    out.values = tensor.values;
    return out;
}

Eigen::MatrixXd Archive::doubles(const std::string& name) const {
    const io::NamedTensor& tensor = find(name, 2);
    return Eigen::Map<const RowMajor>(tensor.values.data(), tensor.shape[0], tensor.shape[1]).cast<double>();
}

std::vector<uint8_t> Archive::bytes(const std::string& name, int64_t columns) const {
    const io::NamedTensor& tensor = find(name, 2);
    require(tensor.dtype == io::Dtype::u8 && tensor.shape[1] == columns, name + " does not hold bytes of its columns");
    return {tensor.values.begin(), tensor.values.end()};
}

Eigen::VectorXd Archive::vector(const std::string& name) const {
    const io::NamedTensor& tensor = find(name, 1);
    return Eigen::Map<const Eigen::VectorXf>(tensor.values.data(), tensor.shape[0]).cast<double>();
}

double Archive::number(const std::string& name) const { return find(name, 0).values.front(); }

int64_t Archive::whole(const std::string& name, int64_t least, int64_t most) const {
    const double value = number(name);
    // Compared as doubles: a number that is too large has no integer.
    if (!(value >= static_cast<double>(least) && value <= static_cast<double>(most)) || value != std::floor(value))
        throw InputError("{}: {}.{} is {}, expected a whole number from {} to {}", source(), prefix_, name, value,
                         least, most);
    return static_cast<int64_t>(value);
}

std::vector<int64_t> Archive::whole_numbers(const std::string& name, int64_t least, int64_t most) const {
    std::vector<int64_t> out;
    for (const float value : find(name, 1).values) {
        if (!(value >= static_cast<double>(least) && value <= static_cast<double>(most)) || value != std::floor(value))
            throw InputError("{}: {}.{} holds {}, expected whole numbers from {} to {}", source(), prefix_, name, value,
                             least, most);
        out.push_back(static_cast<int64_t>(value));
    }
    return out;
}

void Archive::require(bool condition, const std::string& what) const {
    if (!condition) throw InputError("{}: {}: {}", source(), prefix_, what);
}

}  // namespace cmr::score
