#pragma once
// The numbers of the MATLAB file format, version 5, as its public description gives them.

#include <cstddef>
#include <cstdint>

namespace cmr::io::mat {

// How the bytes of a data element are to be read.
enum class Storage : uint32_t {
    kInt8 = 1,
    kUint8 = 2,
    kInt16 = 3,
    kUint16 = 4,
    kInt32 = 5,
    kUint32 = 6,
    kSingle = 7,
    kDouble = 9,
    kInt64 = 12,
    kUint64 = 13,
    kMatrix = 14,
    kCompressed = 15,
    kUtf8 = 16,
    kUtf16 = 17,
    kUtf32 = 18,
};

// What an array is to MATLAB; its numbers may be stored narrower.
enum class Class : uint8_t {
    kCell = 1,
    kStruct = 2,
    kObject = 3,
    kChar = 4,
    kSparse = 5,
    kDouble = 6,
    kSingle = 7,
    kInt8 = 8,
    kUint8 = 9,
    kInt16 = 10,
    kUint16 = 11,
    kInt32 = 12,
    kUint32 = 13,
    kInt64 = 14,
    kUint64 = 15,
    kFunction = 16,
    kOpaque = 17,
};

constexpr uint32_t kComplexFlag = 0x800;

constexpr size_t kHeaderBytes = 128;  // text, offset of MATLAB's own data, version, a mark of the byte order
constexpr size_t kTagBytes = 8;

}  // namespace cmr::io::mat
