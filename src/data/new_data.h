#pragma once
// Data that a recipe does not name, such as the plant's next export, read as its own files are.

#include "data/load.h"

namespace cmr::data {

// Name of the part of data that fit none of the recipe.
inline constexpr const char* kNoPart = "new data";

// One file; in the layout "cycles" a folder with a file per channel. Names are taken as they stand, without wildcards.
//
// It is read as a file of `part`. Empty: of the part whose `files` fit the end of its path, the more of them the
// better; several that fit alike and are read differently are an InputError. A file that fits none is read by
// [data.read].
//
// Where gaps are no errors, columns of channels may be absent (in the layout "cycles" their files), but not all: their
// samples are.
//
// The dataset has one part, called after the one that it is read as (or kNoPart), with role "new". What it
// holds is of unknown state: labels, events and units are not looked at, and may be absent. Only `keep` leaves rows out
// where its column (or, in the layout "cycles", the labels' file in the folder) is there.
Dataset load_new(const recipe::Recipe& recipe, const fs::path& path, const std::string& part = {},
                 const FileProgress& progress = {});

// The part of the recipe as whose file `path` is read, as load_new chooses it; of rows that have no name, "-", the one
// that is `wanted`, else the one way in which all parts are read, else [data.read].
recipe::Part part_to_read(const recipe::Recipe& recipe, const fs::path& path, const std::string& wanted);

}  // namespace cmr::data
