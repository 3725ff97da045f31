// A model's state as bytes, for models that are many and small: a mark, then per field a hash of its name, how many
// values it has, and the values, eight bytes each.
//
// The hash stands for the name, so a later version finds the fields that it knows, and sees which are not there.
#pragma once
#include <cstring>
#include <string_view>

#include "engine/archive.hpp"

namespace onlineboost {

constexpr std::string_view kPackedMark = "OBst";

// FNV-1a (draft-eastlake-fnv), 64 bits.
inline std::uint64_t name_hash(std::string_view name) {
    std::uint64_t hash = 0xcbf29ce484222325u;
    for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    return hash;
}

class PackArchive final : public Archive {
   public:
    bool loading() const override { return false; }
    bool has(const std::string&) const override { return true; }
    void numbers(const std::string& name, double* values, std::size_t size) override {
        begin(name, size);
        add(values, size);
    }
    void integers(const std::string& name, std::vector<std::int64_t>& values) override {
        begin(name, values.size());
        add(values.data(), values.size());
    }
    void table(const std::string& name, Table& table, std::size_t learners, std::size_t rows) override {
        begin(name, rows * learners);
        for (std::size_t r = 0; r < rows; ++r) add(table.row(r), learners);
    }
    std::string bytes{kPackedMark};

   private:
    void begin(const std::string& name, std::uint64_t size) {
        const std::uint64_t hash = name_hash(name);
        add(&hash, 1);
        add(&size, 1);
    }
    template <class T>
    void add(const T* values, std::size_t size) {
        static_assert(sizeof(T) == 8);
        bytes.append(reinterpret_cast<const char*>(values), 8 * size);
    }
};

// Sizes are compared with those of the bytes before anything of their size is made.
class UnpackArchive final : public Archive {
   public:
    explicit UnpackArchive(std::string_view bytes) : bytes_(bytes) {
        if (!bytes.starts_with(kPackedMark)) damaged();
        for (std::size_t at = kPackedMark.size(); at < bytes.size();) {
            if (bytes.size() - at < 16) damaged();
            Field field;
            std::memcpy(&field.hash, bytes.data() + at, 8);
            std::memcpy(&field.size, bytes.data() + at + 8, 8);
            field.at = at += 16;
            if (field.size > (bytes.size() - at) / 8) damaged();
            at += 8 * field.size;
            fields_.push_back(field);
        }
    }
    bool loading() const override { return true; }
    bool has(const std::string& name) const override { return find(name) < fields_.size(); }
    void numbers(const std::string& name, double* values, std::size_t size) override {
        copy(name, get(name, size), size, values);
    }
    void integers(const std::string& name, std::vector<std::int64_t>& values) override {
        const std::size_t k = find(name);
        if (k == fields_.size()) missing(name);
        values.resize(fields_[k].size);
        const char* from = get(name, values.size());
        if (!values.empty()) std::memcpy(values.data(), from, 8 * values.size());
    }
    void table(const std::string& name, Table& table, std::size_t learners, std::size_t rows) override {
        const char* from = get(name, rows * learners);
        while (table.rows() < rows) table.append();
        for (std::size_t r = 0; r < rows; ++r, from += 8 * learners) copy(name, from, learners, table.row(r));
    }
    // After the last field: there must be no others.
    void finish() const {
        if (read_ != fields_.size())
            throw std::invalid_argument("the state has fields that such a model does not have");
    }

   private:
    struct Field {
        std::uint64_t hash, size;
        std::size_t at;
    };
    [[noreturn]] static void damaged() { throw std::invalid_argument("the bytes are no model's state"); }
    [[noreturn]] static void missing(const std::string& name) {
        throw std::invalid_argument("state field '" + name + "' is missing or has the wrong size");
    }
    // Fields come in the order in which they were written, but for those that one of the two does not have.
    std::size_t find(const std::string& name) const {
        const std::uint64_t hash = name_hash(name);
        for (std::size_t k = 0, n = fields_.size(); k < n; ++k) {
            const std::size_t at = (read_ + k) % n;
            if (fields_[at].hash == hash) return at;
        }
        return fields_.size();
    }
    const char* get(const std::string& name, std::size_t size) {
        const std::size_t k = find(name);
        if (k == fields_.size() || fields_[k].size != size) missing(name);
        ++read_;
        return bytes_.data() + fields_[k].at;
    }
    static void copy(const std::string& name, const char* from, std::size_t size, double* to) {
        if (size > 0) std::memcpy(to, from, 8 * size);
        for (std::size_t i = 0; i < size; ++i) check(std::abs(to[i]) <= kLargest, name);  // false for NaN too
    }
    std::string_view bytes_;
    std::vector<Field> fields_;
    std::size_t read_ = 0;
};

}  // namespace onlineboost
