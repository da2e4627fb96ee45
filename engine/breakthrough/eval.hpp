// What a position is worth to the side to move: the sum of small patterns, each with a weight found by self-play.
//
// The board is seen by the side to move, its home rank below. Two kinds of patterns lie over it at every place: bricks
// of three files by two ranks, and crosses of a cell with the four diagonally beside it. Weights depend on the place,
// on the distance from both ends and from the nearer edge, and are the same in a mirror. `evaluation.py` is the same
// sum in Python, and says how places are counted on boards of other sizes than 8x8.
//
// What an empty board has more of than one of 8x8 is taken off, for the weights were found on that and its like.
//
// Here both kinds are added up beforehand into one table of windows of three by three cells.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "board.hpp"

namespace klop {

constexpr int BRICKS = 729, CROSSES = 243, WINDOWS = 19683;  // 3^6, 3^5, 3^9
constexpr int BRICK_RANKS = 7, BRICK_FILES = 3, CROSS_RANKS = 8, CROSS_FILES = 4;
constexpr int SHIFT = 3;        ///< weights are so many bits finer than scores
constexpr int MOST = 12000;     ///< a guess is never worth more

/// A place counted from the nearer of two ends, so that all boards share the weights of one.
constexpr int from_ends(int at, int places, int classes) {
    const int cap = (classes - 1) / 2;
    return 2 * at < places - 1 ? std::min(at, cap) : classes - 1 - std::min(places - 1 - at, cap);
}

template <typename Set>
class Evaluation {
  public:
    Evaluation(const Geometry<Set>& on, std::span<const int> bricks, std::span<const int> crosses) : on(on) {
        if (bricks.size() != BRICK_RANKS * BRICK_FILES * BRICKS ||
            crosses.size() != CROSS_RANKS * CROSS_FILES * CROSSES)
            throw std::invalid_argument("weights of another size");
        wide = std::max(1, on.files - 2);
        // Many places of a large board have the same weights, and so one table.
        std::vector<std::array<int, 4>> rank_kinds;
        std::vector<std::array<int, 6>> start_kinds;
        std::vector<int> ranks, starts;  // an example of each
        int start_of[MOST_FILES];
        for (int rank = 1; rank < on.ranks - 1; ++rank) {
            const int at = numbered(rank_kinds, {from_ends(rank - 1, on.ranks - 1, BRICK_RANKS), from_ends(rank, on.ranks, CROSS_RANKS),
                                                 rank == 1, rank == on.ranks - 2});
            if (at == static_cast<int>(ranks.size())) ranks.push_back(rank);
            rank_table[rank] = at;
        }
        for (int start = 0; start < (wide + 1) / 2; ++start) {
            std::array<int, 6> kind{std::min(start, BRICK_FILES - 1), start == 0, start == wide - 1};
            for (int file = 0; file < 3; ++file) {
                const int real = start + file, mirror = on.files - 1 - real;
                kind[3 + file] = 2 * std::min({real, mirror, CROSS_FILES - 1}) + (real > mirror);
            }
            start_of[start] = numbered(start_kinds, kind);
            if (start_of[start] == static_cast<int>(starts.size())) starts.push_back(start);
        }
        tables.resize(ranks.size() * starts.size() * WINDOWS);
        auto* table = tables.data();
        for (const int rank : ranks)
            for (const int start : starts)
                for (int code = 0; code < WINDOWS; ++code)
                    *table++ = static_cast<std::int16_t>(
                        std::clamp(window(rank, start, code, bricks, crosses), -32768, 32767));
        for (int rank = 1; rank < on.ranks - 1; ++rank) rank_table[rank] *= starts.size() * WINDOWS;
        level = nothing(on.files, on.ranks, bricks, crosses) - nothing(8, 8, bricks, crosses);
        for (int start = 0; start < wide; ++start) {
            const bool mirrored = start > wide - 1 - start;
            place[start] = static_cast<std::uint32_t>(start_of[mirrored ? wide - 1 - start : start]) * WINDOWS;
            for (int row = 0; row < 256; ++row)
                for (int part = 0; part < PARTS; ++part)
                    for (int file = 0; file < 3; ++file)
                        if (const int bit = start + file - 8 * part; bit >= 0 && bit < 8 && row >> bit & 1)
                            codes[part][row][start] += mirrored ? (file == 0 ? 9 : file == 1 ? 3 : 1)
                                                                : (file == 0 ? 1 : file == 1 ? 3 : 9);
        }
    }

    /// The score for the side to move, without looking ahead.
    int of(const Board<Set>& board) const {
        return board.to_move == WHITE ? sum<WHITE>(board.men[WHITE], board.men[BLACK])
                                      : sum<BLACK>(board.men[BLACK], board.men[WHITE]);
    }

    template <Side side>
    int sum(Arg<Set> own, Arg<Set> foe) const {
        if (on.files <= 8) return sum<side, 8, 1>(own, foe);
        if (on.files <= 10) return sum<side, 8, 2>(own, foe);
        if constexpr (PARTS > 2)
            if (on.files > 16) return sum<side, LANES, PARTS>(own, foe);
        return sum<side, 16, 2>(own, foe);
    }

  private:
    static constexpr bool small = sizeof(Set) == sizeof(u64);
    static constexpr int MOST_FILES = small ? 16 : 26;
    static constexpr int LANES = small ? 16 : 24;  ///< the most windows side by side
    static constexpr int PARTS = small ? 2 : 4;    ///< a rank is read eight cells at a time

    /// The number of a kind in the order in which they came up.
    template <typename One>
    static int numbered(std::vector<One>& kinds, const One& kind) {
        const auto found = std::find(kinds.begin(), kinds.end(), kind);
        const int at = static_cast<int>(found - kinds.begin());
        if (found == kinds.end()) kinds.push_back(kind);
        return at;
    }

    /// The codes of the windows of one rank: base 3, a digit for each cell: empty, own, foe.
    template <int lanes>
    using Row = std::array<std::uint16_t, lanes>;

    template <Side side, int lanes, int parts>
    int sum(Arg<Set> own, Arg<Set> foe) const {
        Row<lanes> rows[3];
        const unsigned mask = (1u << on.files) - 1;
        const auto read = [&](int rank, Row<lanes>& row) {
            const int from = (side == WHITE ? rank : on.ranks - 1 - rank) * on.files;
            const auto mine = slice(own, from, mask), theirs = slice(foe, from, mask);
            const auto &a = codes[0][mine & 255], &b = codes[0][theirs & 255];
            for (int lane = 0; lane < lanes; ++lane) row[lane] = a[lane] + 2 * b[lane];
            if constexpr (parts > 1) for (int part = 1; part < parts; ++part) {
                const auto &c = codes[part][mine >> 8 * part & 255], &d = codes[part][theirs >> 8 * part & 255];
                for (int lane = 0; lane < lanes; ++lane) row[lane] += c[lane] + 2 * d[lane];
            }
        };
        read(0, rows[0]);
        read(1, rows[1]);
        int total = -level;
        for (int rank = 1; rank < on.ranks - 1; ++rank) {
            const std::int16_t* table = tables.data() + rank_table[rank];
            const auto& below = rows[(rank - 1) % 3];
            const auto& here = rows[rank % 3];
            auto& above = rows[(rank + 1) % 3];
            read(rank + 1, above);
            Row<lanes> code;
            for (int lane = 0; lane < lanes; ++lane) code[lane] = below[lane] + 27 * here[lane] + 729 * above[lane];
            for (int lane = 0; lane < wide; ++lane) total += table[place[lane] + code[lane]];
        }
        return std::clamp(total >> SHIFT, -MOST, MOST);
    }

    /// All patterns that are counted with the window of a centre rank and a first file.
    int window(int rank, int start, int code, std::span<const int> bricks, std::span<const int> crosses) const {
        int cells[3][3];  // rank, file
        for (int at = 0; at < 9; ++at, code /= 3) cells[at / 3][at % 3] = code % 3;
        const auto brick = [&](int low) {  // of the ranks `low` and the next, counted in the window
            int pattern = 0, power = 1;
            for (int at = 0; at < 6; ++at, power *= 3) pattern += power * cells[low + at / 3][at % 3];
            const int place = from_ends(rank - 1 + low, on.ranks - 1, BRICK_RANKS);
            return bricks[(place * BRICK_FILES + std::min(start, BRICK_FILES - 1)) * BRICKS + pattern];
        };
        const auto cross = [&](int up, int file) {
            const auto at = [&](int u, int f) { return u < 0 || u > 2 || f < 0 || f > 2 ? 0 : cells[u][f]; };
            const int real = start + file, mirror = on.files - 1 - real;
            const int left = real > mirror ? 1 : -1;
            const int pattern = at(up, file) + 3 * at(up - 1, file + left) + 9 * at(up - 1, file - left) +
                                27 * at(up + 1, file + left) + 81 * at(up + 1, file - left);
            const int place = from_ends(rank - 1 + up, on.ranks, CROSS_RANKS);
            const int edge = std::min({real, mirror, CROSS_FILES - 1});
            return crosses[(place * CROSS_FILES + edge) * CROSSES + pattern];
        };
        int total = brick(0);
        if (rank == on.ranks - 2) total += brick(1);
        // Each cell's cross lies in one window: the nearest that has the cell inside, or at the board's edge.
        const int first = start == 0 ? 0 : 1;
        const int last = start == wide - 1 ? std::min(2, on.files - 1 - start) : 1;
        for (int up = rank == 1 ? 0 : 1; up <= (rank == on.ranks - 2 ? 2 : 1); ++up)
            for (int file = first; file <= last; ++file) total += cross(up, file);
        return total;
    }

    /// The sum of all patterns on an empty board.
    static int nothing(int files, int ranks, std::span<const int> bricks, std::span<const int> crosses) {
        const int wide = std::max(1, files - 2);
        int total = 0;
        for (int rank = 0; rank < ranks - 1; ++rank)
            for (int start = 0; start < wide; ++start)
                total += bricks[(from_ends(rank, ranks - 1, BRICK_RANKS) * BRICK_FILES +
                                 std::min({start, wide - 1 - start, BRICK_FILES - 1})) * BRICKS];
        for (int rank = 0; rank < ranks; ++rank)
            for (int file = 0; file < files; ++file)
                total += crosses[(from_ends(rank, ranks, CROSS_RANKS) * CROSS_FILES +
                                  std::min({file, files - 1 - file, CROSS_FILES - 1})) * CROSSES];
        return total;
    }

    const Geometry<Set>& on;
    int level;  ///< what is taken off every sum
    int wide;   ///< windows side by side
    std::uint32_t rank_table[MOST_RANKS] = {};  ///< where the tables of a rank begin
    std::uint32_t place[LANES] = {};            ///< where the table of a window begins, among those of its rank
    std::uint16_t codes[PARTS][256][LANES] = {};
    std::vector<std::int16_t> tables;
};

}  // namespace klop
