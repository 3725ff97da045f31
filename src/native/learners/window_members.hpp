// Members that were each taught a window of rows and stay as they are, with votes that follow the window; see
// onlineboost/boosters/iboost.py.
//
// Rows are numbered as they are learned; row t stands at t % most_rows(). The window are the last `window` rows. The
// member that is being taught began with the rows before number began_ and is due `span()` rows later: rows that have
// left the window stay until then. Until it is due nothing of it is saved: a model that is loaded teaches it again.
#pragma once
#include <vector>

#include "engine/features.hpp"
#include "learners/bank.hpp"

namespace onlineboost {

class WindowMembersBank final : public Bank {
   public:
    struct Options {
        std::size_t window, every;
    };
    WindowMembersBank(std::size_t members, Options options, std::shared_ptr<const Parameters> learner);
    static std::unique_ptr<Bank> build(const Parameters& p, std::size_t learners);

    std::unique_ptr<Scratch> make_scratch() const override;
    void score(Scratch& scratch) const override;
    void make_room(Scratch& scratch, std::span<const FeatureId> fresh) override;
    void meet(Scratch&, const std::vector<FeatureId>&, std::size_t) override {}  // members have features of their own
    void update(Scratch& scratch, double y, const double* w) override;
    double step(Scratch& scratch, std::size_t i, double y, double w, unsigned times) override;
    void finish(Scratch&) override {}
    void serialise(Archive& archive, const std::vector<FeatureId>& ids) override;
    std::size_t most_features() const override { return pattern_->most_features(); }
    std::string limit() const override { return pattern_->limit(); }

    static constexpr std::uint64_t kFirst = 8;  // rows that the first member begins with

   private:
    struct Own;
    struct Member {
        Features features;
        std::unique_ptr<Bank> bank;
        std::uint64_t number = 0;  // of all that were begun
        double vote = 0.0;
        std::vector<std::int8_t> agrees;  // at the place of each row: 1 right, -1 wrong, 0 silent
    };
    // The member that is being taught: rows taught, the next to be asked about, and what it says of the row at hand.
    struct Pupil {
        std::unique_ptr<Member> member;
        std::unique_ptr<Scratch> scratch;
        std::uint64_t taught = 0, asked = 0;
        int says = 0;
    };
    struct Kept {
        Row row;
        double y = 1.0;
    };

    std::uint64_t most_rows() const { return options_.window + std::min(options_.every, options_.window); }
    std::size_t place(std::uint64_t t) const { return static_cast<std::size_t>(t % most_rows()); }
    // The first row of the window that ends before row t.
    std::uint64_t first_of(std::uint64_t t) const { return t > options_.window ? t - options_.window : 0; }
    std::uint64_t begun_with() const { return began_ - first_of(began_); }  // rows
    std::uint64_t span() const { return std::min<std::uint64_t>(options_.every, begun_with()); }
    std::uint64_t first_kept() const;

    std::unique_ptr<Pupil> fresh(std::uint64_t number) const;
    static int says(const Member& member, Row& row, Scratch& scratch);
    void teach(Pupil& pupil, Kept& kept, double weight);
    void work(Scratch& scratch);
    void begin();
    void join();
    void leave(std::size_t j);
    template <class F>
    void each_place(F f) const;
    // Of a member, over the window: the weight it has right and wrong.
    struct Sides {
        double right = 0.0, wrong = 0.0;
    };
    Sides sides(const Member& member) const;
    std::size_t least_useful() const;
    void move(const Member& member, double by);
    void adjust(Member& member);
    void serialise_rows(Archive& archive);
    void serialise_members(Archive& archive);
    std::vector<std::size_t> places_of(std::uint64_t first) const;

    Options options_;
    std::shared_ptr<const Parameters> learner_;
    std::unique_ptr<Bank> pattern_;
    std::vector<std::unique_ptr<Member>> members_;  // oldest first
    std::vector<Kept> rows_;
    std::vector<double> weights_;  // of rows: the user's,
    std::vector<double> losses_;   // exp(-y F),
    std::vector<double> lesson_;   // and what the pupil is taught them with
    Kept next_;
    std::unique_ptr<Pupil> pupil_, spare_;
    std::uint64_t learned_ = 0, began_ = 0, born_ = 0;
};

}  // namespace onlineboost
