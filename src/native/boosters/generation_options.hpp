// When generations of families come and leave, and when families retire (see generations.hpp).
#pragma once
#include <cstdint>

#include "engine/parameters.hpp"

namespace onlineboost {

struct GenerationOptions {
    std::uint64_t first_look;          // at a family that may retire; 0: none does
    double least_weight;               // w_k below this, and
    double least_share;                // a share in the stack below this
    std::size_t generations = 0;       // at most, at a time; 0: see above
    double delta = 0.3;                // of ADWIN
    std::uint64_t clock = 4;           // of ADWIN
    std::uint64_t trial = 1000;        // examples after which a young generation is judged
    std::uint64_t first_birth = 4000;  // without an alarm
    std::uint64_t rest = 20'000;       // examples after which a generation that rests leaves
    double lead = 0.9;                 // the weight that makes a generation lead
    std::uint64_t steady = 0;          // a bit for each family that does not retire for carrying little
    double price = 0.0;                // in log-loss, of what is spent on it; 0: as in older files
    std::uint64_t every = 1000;        // examples from look to look
    std::uint64_t slow = 0;            // a bit for each family that is looked at later,
    std::uint64_t slow_look = 0;       // from this age on

    static GenerationOptions read(const Parameters& p) {
        GenerationOptions found{p.whole("first_look"), p.number("least_weight"), p.number("least_share")};
        if (p.has("price")) {
            found.price = p.number("price");
            found.every = p.whole("every");
            found.slow = p.whole("slow");
            found.slow_look = p.whole("slow_look");
        }
        if (!p.has("generations")) return found;
        found.generations = p.count("generations");
        found.delta = p.number("delta");
        found.clock = p.whole("clock");
        found.trial = p.whole("trial");
        found.first_birth = p.whole("first_birth");
        found.rest = p.whole("rest");
        found.lead = p.number("lead");
        if (p.has("steady")) found.steady = p.whole("steady");
        return found;
    }
};

}  // namespace onlineboost
