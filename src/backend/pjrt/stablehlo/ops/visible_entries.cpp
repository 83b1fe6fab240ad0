// Model specification 2.9.7.

#include "backend/pjrt/stablehlo/op_io.h"

namespace deepinfer::pjrt {

void lower(const VisibleEntries& op, OpIo& io) {
  ModuleWriter& w = io.w;
  const Val& positions = io.in(0);
  // position / ratio, one more at a group's end: position + 1 may not fit.
  const Val seen = w.max(positions, 0.0);
  const Val entry = w.binary("divide", seen, double(op.ratio));
  const Val last =
      w.compare("EQ", w.binary("remainder", seen, double(op.ratio)), double(op.ratio - 1));
  const Val visible = w.add(entry, w.convert(last, Element::i32));
  io.write(w.select(w.compare("LT", positions, 0.0), w.i32(0), visible));
}

}  // namespace deepinfer::pjrt
