// Places for whole ensembles as the learners of a bank, of two classes (families.hpp) or many
// (multiclass_families.hpp).
//
// There are places for several generations of K families: learner g K + k is family k of generation g. Those of the
// first begin at once; another begins as a fresh copy when the booster asks for it, with the next row that is learned.
//
// What a family says and becomes depends on the rows, labels and weights alone, so families are asked and taught side
// by side where there are threads.
#pragma once
#include <algorithm>
#include <functional>
#include <optional>
#include <string>

#include "engine/crew.hpp"
#include "engine/features.hpp"
#include "learners/wrapper.hpp"

namespace onlineboost {

// `Opinion` is what one family made of a row, with `scratch`: until it learns the row, nothing of it changes.
template <class E, class Opinion>
class FamilyPlaces {
   public:
    struct Member {
        std::function<E()> make;    // none where it cannot take part
        std::size_t most_features;  // with more it retires
        bool begins = true;
        double cost = 1.0;
    };
    struct Place {
        std::optional<E> ensemble;      // none before it begins and once it has retired
        double losses[2] = {0.0, 0.0};  // of the vote as it is, and of the calibrated one
        bool awaited = false;           // it begins with the next row
        bool rests = false;             // it keeps what it knows
    };
    struct Own final : Scratch {
        using Scratch::Scratch;
        std::vector<Opinion> opinions;
        std::vector<std::size_t> at_work;  // places
    };

    FamilyPlaces(std::vector<Member> members, std::size_t generations)
        : members_(std::move(members)), places_(members_.size() * generations), generations_(generations) {
        newborns_.reserve(members_.size());
        for (std::size_t k = 0; k < members_.size(); ++k)
            if (members_[k].make && members_[k].begins) begin(k);
    }
    // `make(part, learners)` gives what makes a member.
    template <class Make>
    static FamilyPlaces build(const Parameters& p, std::size_t learners, Make make) {
        std::vector<Member> members;
        for (const auto& [count, part] : p.parts("members")) {
            const std::shared_ptr<const Parameters> stored = part->kept();
            members.push_back({make(stored, count), stored->count("most_features"), stored->flag("begins"),
                               stored->has("cost") ? stored->number("cost") : 1.0});
        }
        const std::size_t generations = learners / std::max<std::size_t>(members.size(), 1);
        if (members.empty() || generations * members.size() != learners)
            throw std::invalid_argument("every generation has all families");
        return FamilyPlaces(std::move(members), generations);
    }

    std::size_t size() const { return places_.size(); }
    std::size_t members() const { return members_.size(); }
    std::size_t generations() const { return generations_; }
    Place& operator[](std::size_t i) { return places_[i]; }
    const Place& operator[](std::size_t i) const { return places_[i]; }
    bool at_work(std::size_t i) const { return places_[i].ensemble.has_value(); }
    const Member& member_of(std::size_t i) const { return members_[i % members_.size()]; }
    std::size_t limit_of(std::size_t i) const { return member_of(i).most_features; }
    // Whether a place sees a row that brings so many new features.
    bool sees(std::size_t i, std::size_t features) const { return at_work(i) && (!places_[i].rests || features > 0); }

    void begin(std::size_t i) { places_[i].ensemble.emplace(fresh(i)); }
    void retire(std::size_t i) { places_[i] = {}; }
    void rest(std::size_t i, bool rests) { places_[i].rests = rests && at_work(i); }
    void ask_for(std::size_t i) {
        places_[i] = {};
        if (member_of(i).make) places_[i].awaited = awaits_ = true;
    }
    void keep_one_generation() {
        places_.resize(members_.size());
        generations_ = 1;
    }

    std::size_t most_features() const {
        std::size_t most = 0;
        for (std::size_t i = 0; i < size(); ++i)
            if (at_work(i)) most = std::max(most, limit_of(i));
        return most;
    }
    std::string limit() const {
        return "the families of the mixture take at most " + std::to_string(most_features()) +
               " features, and these rows bring more: raise the limit of a family or add one without a limit";
    }

    std::unique_ptr<Scratch> make_scratch(Layout layout) const {
        auto made = std::make_unique<Own>(layout);
        made->opinions.resize(size());
        made->at_work.reserve(size());
        return made;
    }
    static std::vector<Opinion>& opinions(Scratch& scratch) { return static_cast<Own&>(scratch).opinions; }
    // That of a place on the row at hand; `hear` fills it. Families that share the threads split nothing themselves.
    Opinion& opinion(Scratch& scratch, std::size_t i) const {
        Opinion& own = opinions(scratch)[i];
        if (!own.scratch) own.scratch = places_[i].ensemble->make_scratch();
        own.scratch->threads = size() > 1 ? 1 : scratch.threads;
        own.scratch->beside = scratch.threads - 1;
        own.scratch->row = scratch.row;
        return own;
    }
    // task(i) for every place at work, on as many threads as there are. The last family of every generation comes
    // first: the default's last ones have most to do.
    template <class F>
    void each_at_work(Scratch& scratch, const F& task) const {
        std::vector<std::size_t>& at_work = static_cast<Own&>(scratch).at_work;
        at_work.clear();
        for (std::size_t k = members(); k-- > 0;)
            for (std::size_t i = k; i < size(); i += members())
                if (this->at_work(i)) at_work.push_back(i);
        each_of(scratch.threads, at_work.size(), [&](std::size_t j) { task(at_work[j]); });
    }

    // room(i, ensemble, opinion, ids) for each place that sees the row, and hear(place, ensemble, opinion) before it
    // for those that begin with it: every feature of the row is new to these.
    template <class Hear, class MakeRoom>
    void make_room(Scratch& scratch, std::span<const FeatureId> fresh_ids, Hear hear, MakeRoom room) {
        const std::size_t features = ids_.size() + fresh_ids.size();
        onlineboost::make_room(ids_, features);
        for (std::size_t i = 0; i < size(); ++i)
            if (sees(i, fresh_ids.size()) && features <= limit_of(i))
                room(i, *places_[i].ensemble, opinions(scratch)[i], fresh_ids);
        if (!awaits_) return;
        std::vector<FeatureId> all(ids_);
        all.insert(all.end(), fresh_ids.begin(), fresh_ids.end());
        newborns_.clear();
        for (std::size_t i = 0; i < size(); ++i) {
            if (!places_[i].awaited || features > limit_of(i)) continue;
            newborns_.push_back(std::make_unique<Newborn>(Newborn{i, fresh(i), {}, *scratch.row}));
            auto& [place, ensemble, opinion, row] = *newborns_.back();
            std::fill(row.slots.begin(), row.slots.end(), Features::kUnseen);
            row.met = false;
            opinion.scratch = ensemble.make_scratch();
            opinion.scratch->row = &row;
            hear(places_[i], ensemble, opinion);
            room(i, ensemble, opinion, std::span<const FeatureId>(all));
        }
    }

    void meet(Scratch& scratch, const std::vector<FeatureId>& ids, std::size_t from) {
        auto& all = opinions(scratch);
        ids_.insert(ids_.end(), ids.begin() + static_cast<std::ptrdiff_t>(from), ids.end());
        for (std::size_t i = 0; i < size(); ++i) {
            if (at_work(i)) all[i].scratch->rests = places_[i].rests;  // one that sees no rows still hears the labels
            if (!sees(i, ids.size() - from)) continue;
            if (ids.size() > limit_of(i))
                retire(i);
            else
                places_[i].ensemble->meet(*all[i].scratch, ids, from);
        }
        if (!awaits_) return;
        for (Place& place : places_) place.awaited = false;
        awaits_ = false;
        for (const auto& newborn : newborns_) {
            auto& [place, ensemble, opinion, row] = *newborn;
            opinion.scratch->row = scratch.row;
            places_[place].ensemble.emplace(std::move(ensemble));
            all[place] = std::move(opinion);
            places_[place].ensemble->meet(*all[place].scratch, ids, 0);
        }
        newborns_.clear();
    }

    // What each place is: 0: no family, 1: it learns, 2: it begins with the next row, 3: it rests.
    std::vector<std::int64_t> codes() const {
        std::vector<std::int64_t> found;
        for (const Place& place : places_)
            found.push_back(place.ensemble ? (place.rests ? 3 : 1) : place.awaited ? 2 : 0);
        return found;
    }
    void check_shape(const std::vector<std::int64_t>& codes) const {
        if (codes.size() != size()) throw std::invalid_argument("state field 'families_at_work' has the wrong shape");
    }
    // each(i, archive) for those that have a family by these codes.
    template <class F>
    void serialise(Archive& archive, const std::vector<FeatureId>& ids, const std::vector<std::int64_t>& codes,
                   F each) {
        check_shape(codes);
        ids_ = ids;
        for (std::size_t i = 0; i < size(); ++i) {
            const bool works = codes[i] == 1 || codes[i] == 3;
            Archive::check(works || codes[i] == 0 || (codes[i] == 2 && generations_ > 1), "families_at_work");
            if (archive.loading() && !works) retire(i);
            if (archive.loading() && codes[i] == 2) ask_for(i);
            if (!works) continue;
            if (archive.loading() && !at_work(i)) {
                const Member& member = member_of(i);
                Archive::check(member.make && (i >= members_.size() || member.begins), "families_at_work");
                begin(i);
            }
            Archive::check(ids.size() <= limit_of(i), "families_at_work");
            places_[i].rests = codes[i] == 3;
            PrefixedArchive named(archive, "family" + std::to_string(i) + ".");
            named.sums("calibration_losses", places_[i].losses, 2);
            each(i, named);
        }
    }

   private:
    // A fresh copy on its first row.
    struct Newborn {
        std::size_t place;
        E ensemble;
        Opinion opinion;
        Row row;
    };

    E fresh(std::size_t i) {
        Member& member = members_[i % members_.size()];
        E made = member.make();
        member.most_features = std::min(member.most_features, made.bank().most_features());
        return made;
    }

    std::vector<Member> members_;
    std::vector<Place> places_;
    std::size_t generations_;
    std::vector<std::unique_ptr<Newborn>> newborns_;
    std::vector<FeatureId> ids_;  // met
    bool awaits_ = false;
};

}  // namespace onlineboost
