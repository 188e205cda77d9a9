//go:build mujoco && cgo

package mujoco

/*
#include <stdlib.h>
#include "chunk.h"
*/
import "C"

import (
	"fmt"
	"unsafe"
)

// Body returns the number of the body called name.
func (m *Model) Body(name string) (int, error) { return m.find(C.mjOBJ_BODY, "body", name) }

// Geom returns the number of the geom called name.
func (m *Model) Geom(name string) (int, error) { return m.find(C.mjOBJ_GEOM, "geom", name) }

// Site returns the number of the site called name.
func (m *Model) Site(name string) (int, error) { return m.find(C.mjOBJ_SITE, "site", name) }

// Joint returns where the positions of the joint called name begin in QPos and its velocities in QVel.
func (m *Model) Joint(name string) (qpos, qvel int, err error) {
	id, err := m.find(C.mjOBJ_JOINT, "joint", name)
	if err != nil {
		return 0, 0, err
	}
	at := func(p *C.int) int { return int(unsafe.Slice(p, id+1)[id]) }
	return at(m.m.jnt_qposadr), at(m.m.jnt_dofadr), nil
}

func (m *Model) find(kind C.int, what, name string) (int, error) {
	if m.m == nil {
		return 0, errClosedModel
	}
	c := C.CString(name)
	defer C.free(unsafe.Pointer(c))
	id := int(C.nacre_id(m.m, kind, c))
	if id < 0 {
		return 0, fmt.Errorf("mujoco: the model has no %s %q", what, name)
	}
	return id, nil
}

// SetWelds gives every weld constraint of the model the same numbers: the anchor in the second body's frame, the second
// body's position and quaternion (w, x, y, z) relative to the first, and the weight of rotation. It must come before
// NewChunk.
func (m *Model) SetWelds(anchor, position [3]float64, quaternion [4]float64, torqueScale float64) {
	if m.m == nil {
		panic(errClosedModel)
	}
	num := func(v []float64) *C.double { return (*C.double)(unsafe.Pointer(&v[0])) }
	C.nacre_set_welds(m.m, num(anchor[:]), num(position[:]), num(quaternion[:]), C.double(torqueScale))
}

// DisableNativeCCD makes the model find contacts of convex shapes as MuJoCo did before its release 3.2, with libccd. It
// must come before NewChunk.
func (m *Model) DisableNativeCCD() {
	if m.m == nil {
		panic(errClosedModel)
	}
	C.nacre_disable_native_ccd(m.m)
}

// CompensateGravity makes gravity not act on a body, as gravcomp="1" does in its XML. It must come before NewChunk.
func (m *Model) CompensateGravity(body int) {
	if m.m == nil {
		panic(errClosedModel)
	}
	if body < 0 || body >= m.sizes.NBody {
		panic(fmt.Sprintf("mujoco: body %d; expected one of 0 to %d", body, m.sizes.NBody-1))
	}
	C.nacre_compensate_gravity(m.m, C.int(body))
}
