#pragma once
// The header of NumPy's .npy: magic, version, and a Python dict literal such as
//   {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
// The literal is parsed by a grammar of just these three keys, so nothing in a file is ever evaluated or unpickled.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace cmr::io {

struct NpyHeader {
    std::string type;  // as the file spells it: "<f4"; a structured one as its whole literal
    bool fortran_order = false;
    std::vector<int64_t> shape;
    uint64_t bytes = 0;  // of the header; the values begin there
};

// Fills the span from where the last read ended and says how many bytes it got: fewer only at the end.
using ReadBytes = std::function<size_t(std::span<std::byte>)>;

// `name` begins the messages. Any type is accepted here: whether we read it is asked when its values are wanted.
NpyHeader read_npy_header(const ReadBytes& read, const std::string& name);

// (3, 4), (3,) or () as Python writes it.
std::string tuple_text(const std::vector<int64_t>& shape);

// Every step-th bytes of `from` as numbers, to every step-th of `to`.
using DecodeNpy = void (*)(const std::byte* from, size_t from_step, double* to, size_t to_step, size_t count);

struct NpyType {
    size_t bytes = 0;
    DecodeNpy decode = nullptr;
};

// How values of a type are read; an InputError names the type when they are not numbers.
NpyType npy_type(const std::string& type, const std::string& name);

}  // namespace cmr::io
