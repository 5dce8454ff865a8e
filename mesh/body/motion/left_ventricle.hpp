// A left ventricle: the cavity of a prolate spheroid, cut off by a flat base that holds two round openings, the mitral inlet
// and the aortic outlet. Its wall moves so that the volume follows VolumeLaw to round-off; what the volume gains comes in
// through the mitral patch, what it loses leaves through the aortic one.
//
//                 base (patch "base", with "mitral" and "aortic")    z = 0 of its own frame
//               +------====----==----+
//               |                    |      <- equator, `base_height` below the base
//                \                  /
//                  \              /        patch "wall"
//                     ` ------ '          apex, at z = -(length + base_height)
//
// The ellipsoid of Land et al. 2015 (Proc. R. Soc. A 471:20150641, problem 2) has radius 7, length 17, base_height 5 mm;
// times 3.8 it is human.
#pragma once
#include <vector>

#include "mesh/body/motion/motion.hpp"
#include "mesh/body/surface.hpp"
#include "mesh/body/motion/volume_law.hpp"

namespace weir {

struct LeftVentricleOptions {
  double radius = 7, length = 17, base_height = 5;  // semi-axes at the end of diastole
  double longitudinal =
      1.0 / 3;  // share of the long axis in log V: z by q^longitudinal, x and y by q^((1 - longitudinal) / 2)
  // Centres along x and radii, in radii of the base's rim.
  double mitral_centre = -0.42, mitral_radius = 0.44, aortic_centre = 0.55, aortic_radius = 0.32;
  double profile = 6;  // of the velocity in an opening: 1 - (r / R)^profile
  VolumeLaw law;
};

// A patch that lets fluid through, along the body's own z.
struct Opening {
  int patch;
  std::vector<double> weight;  // of each node of the surface: the velocity's profile, 0 at the rim and outside
};

struct LeftVentricle {
  Surface surface;  // at the end of diastole; a cavity
  Opening mitral, aortic;
  std::unique_ptr<MotionLaw> stretch;  // gives the volume
};

LeftVentricle make_left_ventricle(const LeftVentricleOptions& options, double spacing);

}  // namespace weir
