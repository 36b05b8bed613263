#pragma once
// A state as bytes and back. A class lists its members once, for both ways:
//
//   template <typename Self, typename Bytes>
//   static void visit_state(Self& self, Bytes& bytes) { bytes(self.a_, self.b_); }

#include <concepts>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/error.h"

namespace cmr::monitor {

template <typename T>
concept Plain = std::is_arithmetic_v<T> || std::is_enum_v<T>;

template <typename T, typename Bytes>
concept Visited = requires(T& value, Bytes& bytes) {
    std::remove_const_t<T>::visit_state(value, bytes);
};

class StateWriter {
  public:
    template <typename... Members>
    void operator()(const Members&... members) {
        (write(members), ...);
    }
    std::string take() && { return std::move(bytes_); }

  private:
    template <Plain T>
    void write(const T& value) {
        bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
    void write(const std::string& text) {
        write(static_cast<uint64_t>(text.size()));
        bytes_ += text;
    }
    template <typename T>
    void write(const std::vector<T>& values) {
        write(static_cast<uint64_t>(values.size()));
        if constexpr (Plain<T>)
            bytes_.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
        else
            for (const T& value : values) write(value);
    }
    template <typename T>
    void write(const std::optional<T>& value) {
        write(value.has_value());
        if (value) write(*value);
    }
    template <typename T>
    requires Visited<const T, StateWriter>
    void write(const T& value) { T::visit_state(value, *this); }

    std::string bytes_;
};

// InputError where the bytes end too soon.
class StateReader {
  public:
    explicit StateReader(std::string_view bytes) : rest_(bytes) {}

    template <typename... Members>
    void operator()(Members&... members) {
        (read(members), ...);
    }
    bool at_end() const { return rest_.empty(); }

  private:
    std::string_view next(uint64_t size) {
        if (size > rest_.size()) throw InputError("a saved stream ends too soon: {} bytes lack", size - rest_.size());
        const std::string_view out = rest_.substr(0, size);
        rest_.remove_prefix(size);
        return out;
    }
    template <Plain T>
    void read(T& value) {
        std::memcpy(&value, next(sizeof value).data(), sizeof value);
    }
    uint64_t size() {
        uint64_t out = 0;
        read(out);
        return out;
    }
    void read(std::string& text) { text = next(size()); }
    template <typename T>
    void read(std::vector<T>& values) {
        const uint64_t count = size();
        values.clear();
        if constexpr (Plain<T>) {
            const std::string_view bytes = next(count > rest_.size() ? count : count * sizeof(T));
            values.resize(count);
            if (count > 0) std::memcpy(values.data(), bytes.data(), bytes.size());
        } else {
            for (uint64_t i = 0; i < count; ++i) read(values.emplace_back());
        }
    }
    template <typename T>
    void read(std::optional<T>& value) {
        bool has = false;
        read(has);
        value.reset();
        if (has) read(value.emplace());
    }
    template <typename T>
    requires Visited<T, StateReader>
    void read(T& value) { T::visit_state(value, *this); }

    std::string_view rest_;
};

}  // namespace cmr::monitor
