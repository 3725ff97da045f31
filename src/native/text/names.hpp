// Names to ids, in the order of first sight: one arena of bytes and one table of ids, nothing allocated per look-up.
#pragma once
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "engine/random.hpp"

namespace onlineboost::text {

class Names {
   public:
    std::size_t size() const { return starts_.size() - 1; }
    // Bytes that are held.
    std::size_t memory() const {
        return bytes_.capacity() + starts_.capacity() * sizeof(std::size_t) + table_.capacity() * sizeof(Entry);
    }
    std::string_view operator[](std::size_t id) const {
        return {bytes_.data() + starts_[id], starts_[id + 1] - starts_[id]};
    }

    // The id of a name, which is added if it is new.
    std::int32_t id(std::string_view name) {
        if (2 * (size() + 1) > table_.size()) grow();
        const std::uint32_t hash = quick_hash(name);
        std::size_t at = hash & (table_.size() - 1);
        for (; table_[at].id >= 0; at = (at + 1) & (table_.size() - 1))
            if (table_[at].hash == hash && (*this)[static_cast<std::size_t>(table_[at].id)] == name)
                return table_[at].id;
        const auto id = static_cast<std::int32_t>(size());
        table_[at] = {hash, id};
        bytes_.append(name);
        starts_.push_back(bytes_.size());
        return id;
    }
    // Forgets the names from `count` on. The latest goes first, so that no chain of the table is broken.
    void keep(std::size_t count) {
        while (size() > count) {
            const auto last = static_cast<std::int32_t>(size() - 1);
            std::size_t at = quick_hash((*this)[size() - 1]) & (table_.size() - 1);
            while (table_[at].id != last) at = (at + 1) & (table_.size() - 1);
            table_[at] = {};
            starts_.pop_back();
            bytes_.resize(starts_.back());
        }
    }

   private:
    struct Entry {
        std::uint32_t hash = 0;
        std::int32_t id = -1;
    };

    // Of no meaning outside the table; stable_hash is the one that is.
    static std::uint32_t quick_hash(std::string_view name) {
        std::uint64_t hash = name.size();
        const char* p = name.data();
        std::size_t left = name.size();
        for (; left >= 8; p += 8, left -= 8) {
            std::uint64_t word;
            std::memcpy(&word, p, 8);
            hash = (hash ^ word) * 0x9E3779B97F4A7C15ULL;
            hash ^= hash >> 32;
        }
        std::uint64_t word = 0;
        if (left > 0) std::memcpy(&word, p, left);
        return static_cast<std::uint32_t>(mix64(hash ^ word));
    }
    void grow() {
        table_.assign(table_.empty() ? 1024 : 2 * table_.size(), {});
        for (std::size_t id = 0; id < size(); ++id) {
            const std::uint32_t hash = quick_hash((*this)[id]);
            std::size_t at = hash & (table_.size() - 1);
            while (table_[at].id >= 0) at = (at + 1) & (table_.size() - 1);
            table_[at] = {hash, static_cast<std::int32_t>(id)};
        }
    }

    std::string bytes_;
    std::vector<std::size_t> starts_{0};
    std::vector<Entry> table_;
};

}  // namespace onlineboost::text
