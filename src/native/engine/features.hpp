// Feature ids to slots, in the order of first sight.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/random.hpp"
#include "engine/storage.hpp"

namespace onlineboost {

using FeatureId = std::uint32_t;

// Small ids index a plain array; large ones (hashed feature spaces) an open-addressing table.
class Features {
   public:
    static constexpr std::int32_t kUnseen = -1;

    std::int32_t find(FeatureId id) const {
        if (id < kDirect) return id < direct_.size() ? direct_[id] : kUnseen;
        if (hashed_.empty()) return kUnseen;
        for (std::size_t at = place(id);; at = (at + 1) & (hashed_.size() - 1)) {
            if (hashed_[at].slot == kUnseen) return kUnseen;
            if (hashed_[at].id == id) return hashed_[at].slot;
        }
    }
    // The slots of several ids; gives whether all were seen.
    bool find(std::span<const FeatureId> ids, std::int32_t* slots) const {
        const std::int32_t* direct = direct_.data();
        const std::size_t known = direct_.size();
        std::int32_t least = 0;
        for (std::size_t k = 0, n = ids.size(); k < n; ++k) {
            const FeatureId id = ids[k];
            const std::int32_t slot = id < known ? direct[id] : find(id);
            least = std::min(least, slot);
            slots[k] = slot;
        }
        return least != kUnseen;
    }
    // Memory for these new ids: adding them cannot fail.
    void make_room(std::span<const FeatureId> fresh) {
        if (fresh.empty()) return;
        onlineboost::make_room(ids_, ids_.size() + fresh.size());
        std::size_t direct = direct_.size(), hashed = in_hash_;
        for (const FeatureId id : fresh) {
            if (id < kDirect)
                direct = std::max<std::size_t>(direct, id + 1);
            else
                ++hashed;
        }
        onlineboost::make_room(direct_, direct);
        while (in_hash_ < hashed && 2 * hashed > hashed_.size()) rehash();
    }
    // The slot of a new id; the caller has seen that find() gives kUnseen, and made room.
    std::int32_t add(FeatureId id) {
        const auto slot = static_cast<std::int32_t>(ids_.size());
        ids_.push_back(id);
        if (id < kDirect) {
            if (id >= direct_.size()) direct_.resize(id + 1, kUnseen);
            direct_[id] = slot;
        } else {
            insert(id, slot);
            ++in_hash_;
        }
        return slot;
    }
    // Takes the ids back that were added last: only the first `count` remain. The newest entry of an open-addressing
    // table stands in no other's way, so it can go without a trace.
    void forget(std::size_t count) noexcept {
        for (; ids_.size() > count; ids_.pop_back()) {
            const FeatureId id = ids_.back();
            if (id < kDirect) {
                direct_[id] = kUnseen;
                continue;
            }
            std::size_t at = place(id);
            while (hashed_[at].id != id || hashed_[at].slot == kUnseen) at = (at + 1) & (hashed_.size() - 1);
            hashed_[at] = {};
            --in_hash_;
        }
    }
    const std::vector<FeatureId>& ids() const { return ids_; }

   private:
    struct Entry {
        FeatureId id = 0;
        std::int32_t slot = kUnseen;
    };
    static constexpr FeatureId kDirect = 1u << 16;

    // The places are drawn anew in each process, so that nobody can choose ids that all fall together. Slots do not
    // depend on them.
    std::size_t place(FeatureId id) const { return mix64(id + kSecret) & (hashed_.size() - 1); }
    static inline const std::uint64_t kSecret = process_secret();
    void insert(FeatureId id, std::int32_t slot) {
        std::size_t at = place(id);
        while (hashed_[at].slot != kUnseen) at = (at + 1) & (hashed_.size() - 1);
        hashed_[at] = {id, slot};
    }
    void rehash() {
        std::vector<Entry> old(hashed_.empty() ? 1024 : 2 * hashed_.size());
        old.swap(hashed_);
        for (const Entry& e : old)
            if (e.slot != kUnseen) insert(e.id, e.slot);
    }

    std::vector<FeatureId> ids_;
    std::vector<std::int32_t> direct_;
    std::vector<Entry> hashed_;
    std::size_t in_hash_ = 0;
};

}  // namespace onlineboost
