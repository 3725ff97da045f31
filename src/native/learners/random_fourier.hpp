// Random Fourier features: the row becomes sqrt(2) cos(2 pi (<omega_j, x> + b_j)), j = 1..D, for the bank inside.
#pragma once
#include "learners/normalise.hpp"
#include "learners/wrapper.hpp"

namespace onlineboost {

class RandomFourierBank final : public WrapperBank {
   public:
    struct Options {
        std::size_t components;
        double scale;  // the bandwidth of the Gaussian kernel
        std::uint64_t seed;
    };
    RandomFourierBank(std::unique_ptr<Bank> inner, Normalise normalise, Options options);
    static std::unique_ptr<Bank> build(const Parameters& p, std::size_t learners);

    ~RandomFourierBank() override;
    RandomFourierBank(const RandomFourierBank&) = delete;
    RandomFourierBank& operator=(const RandomFourierBank&) = delete;

    std::unique_ptr<Scratch> make_scratch() const override;
    void make_room(Scratch& scratch, std::span<const FeatureId> fresh) override;
    void meet(Scratch& scratch, const std::vector<FeatureId>& ids, std::size_t from) override;
    void serialise(Archive& archive, const std::vector<FeatureId>& ids) override;

   private:
    struct Own;
    void change(Scratch& scratch, Row& row) const override;
    void draw(std::uint64_t feature, double* row) const;
    double* draw(std::uint64_t feature) const;
    double* frequencies(std::size_t coordinate, std::uint64_t feature) const;

    Normalise normalise_;
    Options options_;
    std::size_t width_;  // components, padded
    Vector phases_;
    // A row per coordinate, in turns per unit; row 0 is the intercept's if there is one. Drawn when a row first has the
    // feature, and null until then: a file of many features and components is small, and so is the model that was just
    // loaded from it.
    mutable std::vector<double*> frequencies_;
    std::vector<FeatureId> ids_;  // of the components
    std::size_t met_ = 0;         // how many of them the inner bank has met: none or all
};

}  // namespace onlineboost
