// [body] of a case:
//
//   type = "cylinder"        diameter                    a 2D body; in 3D it reaches across z
//          "sphere"          diameter
//          "ellipsoid"       diameters                   two: an elliptic cylinder; three
//          "aerofoil"        naca = "0012", chord, origin = 0.25      2D; `position` is that of `origin` chords behind the nose
//          "box"             lengths                     two: a 2D rectangle; three
//          "stl"             file, scale = 1, fluid = "outside" | "inside"
//          "left_ventricle"  radius, length, base_height, ...         left_ventricle.hpp; `position` is the middle of its base
//   position = [0, 0, 0], angle = 0 (degrees about z, against the clock), surface_spacing (that of the caller)
//   motion = { type = ... }, or several that apply one after the other: motion = [{ type = ... }, { type = ... }]
//          "none"
//          "translation"     velocity
//          "oscillation"     amplitude, frequency, phase            by amplitude sin(2 pi frequency t + phase)
//          "rotation"        rate, amplitude, frequency, phase, axis = [0, 0, 1], pivot (the body's position)
//          "deformation"     amplitude, frequency, phase            stretched by 1 + amplitude sin(..) along its own axes
//          "table"           file, periodic = false, axis           columns t, x, y, z, angle
//   Angles, rates and phases are in degrees.
#pragma once
#include "base/table.hpp"
#include "mesh/body/body.hpp"

namespace weir {

// `spacing` of generated surfaces where the case gives none: half a cell is enough for forces. What was repaired in a file is
// put to `messages`. Errors name file, line and key; an unknown key is the caller's to refuse (Table::refuse_unknown).
Body read_body(const Table& t, double spacing, std::vector<std::string>* messages = nullptr);

}  // namespace weir
