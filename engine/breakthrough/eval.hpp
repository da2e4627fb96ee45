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

class Evaluation {
  public:
    Evaluation(const Geometry& on, std::span<const int> bricks, std::span<const int> crosses) : on(on) {
        if (bricks.size() != BRICK_RANKS * BRICK_FILES * BRICKS ||
            crosses.size() != CROSS_RANKS * CROSS_FILES * CROSSES)
            throw std::invalid_argument("weights of another size");
        wide = std::max(1, on.files - 2);
        const int kept = (wide + 1) / 2;
        tables.assign(static_cast<std::size_t>(on.ranks - 2) * kept * WINDOWS, 0);
        for (int rank = 1; rank < on.ranks - 1; ++rank)
            for (int start = 0; start < kept; ++start) {
                auto* table = &tables[(static_cast<std::size_t>(rank - 1) * kept + start) * WINDOWS];
                for (int code = 0; code < WINDOWS; ++code)
                    table[code] = static_cast<std::int16_t>(
                        std::clamp(window(rank, start, code, bricks, crosses), -32768, 32767));
            }
        level = nothing(on.files, on.ranks, bricks, crosses) - nothing(8, 8, bricks, crosses);
        for (int start = 0; start < wide; ++start) {
            const bool mirrored = start > wide - 1 - start;
            place[start] = static_cast<std::uint32_t>(mirrored ? wide - 1 - start : start) * WINDOWS;
            for (int row = 0; row < 256; ++row)
                for (int half = 0; half < 2; ++half)
                    for (int file = 0; file < 3; ++file)
                        if (const int bit = start + file - 8 * half; bit >= 0 && bit < 8 && row >> bit & 1)
                            codes[half][row][start] += mirrored ? (file == 0 ? 9 : file == 1 ? 3 : 1)
                                                                : (file == 0 ? 1 : file == 1 ? 3 : 9);
        }
    }

    /// The score for the side to move, without looking ahead.
    int of(const Board& board) const {
        return board.to_move == WHITE ? sum<WHITE>(board.men[WHITE], board.men[BLACK])
                                      : sum<BLACK>(board.men[BLACK], board.men[WHITE]);
    }

    template <Side side>
    int sum(u64 own, u64 foe) const {
        return on.files <= 8 ? sum<side, 8>(own, foe) : sum<side, 16>(own, foe);
    }

  private:
    /// The codes of the windows of one rank: base 3, a digit for each cell: empty, own, foe.
    template <int lanes>
    using Row = std::array<std::uint16_t, lanes>;

    template <Side side, int lanes>
    int sum(u64 own, u64 foe) const {
        Row<lanes> rows[3];
        const u64 mask = (u64{1} << on.files) - 1;
        const auto read = [&](int rank, Row<lanes>& row) {
            const int shift = (side == WHITE ? rank : on.ranks - 1 - rank) * on.files;
            const auto mine = own >> shift & mask, theirs = foe >> shift & mask;
            const auto &a = codes[0][mine & 255], &b = codes[0][theirs & 255];
            for (int lane = 0; lane < lanes; ++lane) row[lane] = a[lane] + 2 * b[lane];
            if constexpr (lanes > 8) {
                const auto &c = codes[1][mine >> 8], &d = codes[1][theirs >> 8];
                for (int lane = 0; lane < lanes; ++lane) row[lane] += c[lane] + 2 * d[lane];
            }
        };
        read(0, rows[0]);
        read(1, rows[1]);
        int total = -level;
        const std::int16_t* table = tables.data();
        const std::size_t stride = static_cast<std::size_t>((wide + 1) / 2) * WINDOWS;
        for (int rank = 1; rank < on.ranks - 1; ++rank, table += stride) {
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

    const Geometry& on;
    int level;                                ///< what is taken off every sum
    int wide;                                 ///< windows side by side
    std::uint32_t place[16] = {};             ///< where the table of a window begins, among those of its rank
    std::uint16_t codes[2][256][16] = {};
    std::vector<std::int16_t> tables;
};

}  // namespace klop
