#pragma once
// Named numbers on their way into a model file and out of it.

#include <Eigen/Core>
#include <string>
#include <vector>

#include "base/matrix.h"
#include "io/tensors/safetensors.h"

namespace cmr::score {

// A view of a file's tensors below a prefix: Archive(file, "scores").below("knn").put("bank", …) makes
// scores.knn.bank.
class Archive {
  public:
    Archive(io::Safetensors& file, std::string prefix) : file_(&file), prefix_(std::move(prefix)) {}

    Archive below(const std::string& name) const { return {*file_, prefix_ + "." + name}; }

    Archive sibling(const std::string& name) const;  // under the same prefix as this one

    void put(const std::string& name, const MatrixView& values);
    void put(const std::string& name, const Eigen::MatrixXd& values);
    void put(const std::string& name, const Eigen::VectorXd& values);
    void put(const std::string& name, double value);
    // A list of numbers, as the vector that vector() and whole_numbers() read.
    template <typename Number>
    void put(const std::string& name, const std::vector<Number>& values) {
        put(name,
            Eigen::VectorXd(
                Eigen::Map<const Eigen::VectorX<Number>>(values.data(), std::ssize(values)).template cast<double>()));
    }
    // In two bytes each, such as float16 can hold, or in one: whole numbers up to 255.
    void put_half(const std::string& name, const Eigen::MatrixXd& values);
    void put_bytes(const std::string& name, const std::vector<uint8_t>& values, int64_t rows);

    bool has(const std::string& name) const;
    // InputErrors where there is no such tensor, it has another number of dimensions, or holds what is not finite.
    Matrix matrix(const std::string& name) const;
    Eigen::MatrixXd doubles(const std::string& name) const;
    std::vector<uint8_t> bytes(const std::string& name, int64_t columns) const;  // of a matrix
    Eigen::VectorXd vector(const std::string& name) const;
    double number(const std::string& name) const;
    int64_t whole(const std::string& name, int64_t least, int64_t most) const;  // InputError for any other number
    std::vector<int64_t> whole_numbers(const std::string& name, int64_t least, int64_t most) const;

    const std::string& source() const { return file_->source; }
    // InputError, naming the file and the prefix, unless what it says is so.
    void require(bool condition, const std::string& what) const;

  private:
    const io::NamedTensor& find(const std::string& name, size_t dimensions) const;

    io::Safetensors* file_;
    std::string prefix_;
};

}  // namespace cmr::score
