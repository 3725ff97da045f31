// A stream from a file, and the same stream prepared for the bare loops: rows as places in a table, values normalised
// beforehand.
//
// File: int64 rows, columns, values; then float64 data and labels, then int32 indices and starts (CSR).
#pragma once
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include "engine/model.hpp"
#include "learners/normalise.hpp"

namespace onlineboost::benchmark {

struct FileStream {
    std::vector<double> data, y;
    std::vector<std::int32_t> indices, starts;
    std::size_t columns;

    explicit FileStream(const char* path) {
        std::FILE* file = std::fopen(path, "rb");
        if (!file) throw std::runtime_error(std::string("cannot open ") + path);
        std::vector<std::int64_t> head(3);
        take(file, head);
        columns = static_cast<std::size_t>(head[1]);
        data.resize(static_cast<std::size_t>(head[2]));
        y.resize(static_cast<std::size_t>(head[0]));
        indices.resize(data.size());
        starts.resize(y.size() + 1);
        take(file, data);
        take(file, y);
        take(file, indices);
        take(file, starts);
        std::fclose(file);
        // The first label is +1 inside the package.
        if (const double first = y.at(0); first < 0.0)
            for (double& label : y) label = -label;
    }
    SparseSource<double, std::int32_t> source() const {
        return {data.data(), indices.data(), starts.data(), y.size(), data.size()};
    }

   private:
    template <class T>
    static void take(std::FILE* file, std::vector<T>& out) {
        if (std::fread(out.data(), sizeof(T), out.size(), file) != out.size())
            throw std::runtime_error("the stream is too short");
    }
};

// Features are numbered as they come, as the engine does it.
struct Prepared {
    std::vector<std::size_t> starts{0}, slots, met{0};  // met[t]: features seen before example t
    std::vector<double> values, constants, norm2, y;    // values without the intercept, which is in constants
    std::vector<std::uint32_t> ids;                     // of each slot

    explicit Prepared(const FileStream& stream) : y(stream.y) {
        const auto source = stream.source();
        const Normalise normalise{true, true};
        Features features;
        Row row;
        NormalisedRow normalised;
        for (std::size_t r = 0; r < y.size(); ++r) {
            source.read(r, row);
            normalise.apply(row, normalised);
            for (std::size_t k = 0; k < row.size(); ++k) {
                std::int32_t slot = features.find(row.ids[k]);
                if (slot == Features::kUnseen) slot = features.add(row.ids[k]);
                slots.push_back(static_cast<std::size_t>(slot));
                values.push_back(normalised.values[k + 1]);
            }
            constants.push_back(normalised.values[0]);
            norm2.push_back(normalised.norm2);
            starts.push_back(slots.size());
            met.push_back(features.ids().size());
        }
        ids = features.ids();
    }
};

}  // namespace onlineboost::benchmark
