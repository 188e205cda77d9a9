//go:build mujoco && cgo

#define _GNU_SOURCE  // dladdr
#include "chunk.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// MuJoCo's own handlers end the process and write a log file into the working directory. Ours keep the text and, for
// an error, jump back to the entry point that the thread is in: MuJoCo requires that the error handler not return.
static __thread jmp_buf* entry = NULL;
static __thread char said[512];

static void keep(const char* text) { snprintf(said, sizeof said, "%s", text); }

static void on_warning(const char* text) { keep(text); }

static void on_error(const char* text) {
  keep(text);
  if (entry) longjmp(*entry, 1);
  fprintf(stderr, "mujoco: error outside a guarded call: %s\n", text);
  abort();
}

static int say(nacre_fault* fault, int code, const char* text) {
  snprintf(fault->text, sizeof(fault->text), "%s", text);
  return code;
}

// What is called of libmujoco.
#define FUNCTIONS(F)                                                                                     \
  F(mj_addBufferVFS) F(mj_copyData) F(mj_defaultVFS) F(mj_deleteData) F(mj_deleteModel) F(mj_deleteVFS)  \
  F(mj_forward) F(mj_id2name) F(mj_loadXML) F(mj_makeData) F(mj_name2id) F(mj_resetData)                 \
  F(mj_rnePostConstraint) F(mj_step)

// The functions where they were loaded, with the types of the headers: an indirect call each, as through the table of a
// linked library.
static struct {
#define MEMBER(f) __typeof__(f)* f;
  FUNCTIONS(MEMBER)
#undef MEMBER
} mj;

int nacre_header_version(void) { return mjVERSION_HEADER; }

int nacre_open(const char* name, nacre_library* library, nacre_fault* fault) {
  memset(library, 0, sizeof *library);
  fault->env = -1;
  void* handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!handle) return say(fault, NACRE_ERROR, dlerror());
  int (*version)(void) = (int (*)(void))dlsym(handle, "mj_version");
  if (!version) {
    dlclose(handle);
    return say(fault, NACRE_ERROR, "it has no function mj_version");
  }
  Dl_info where;
  const int known = dladdr((void*)version, &where);
  snprintf(library->path, sizeof library->path, "%s", known && where.dli_fname ? where.dli_fname : name);
  library->version = version();
  if (library->version != mjVERSION_HEADER) {
    dlclose(handle);
    return NACRE_WARNING;
  }
  const char* missing = NULL;
#define FIND(f) \
  if (!(mj.f = (__typeof__(f)*)dlsym(handle, #f))) missing = #f;
  FUNCTIONS(FIND)
#undef FIND
  void (**error)(const char*) = (void (**)(const char*))dlsym(handle, "mju_user_error");
  void (**warning)(const char*) = (void (**)(const char*))dlsym(handle, "mju_user_warning");
  if (missing || !error || !warning) {
    snprintf(fault->text, sizeof fault->text, "it has no %s", missing ? missing : "handlers of errors");
    dlclose(handle);
    return NACRE_ERROR;
  }
  *error = on_error;
  *warning = on_warning;
  return NACRE_OK;
}

// GUARD opens an entry point: MuJoCo's errors from here on make it return NACRE_ERROR. Variables that change after it
// and are read in `fault` must be volatile. UNGUARD must come before every return.
#define GUARD(fault, failing)                                     \
  jmp_buf here;                                                   \
  said[0] = 0;                                                    \
  (fault)->env = -1;                                              \
  if (setjmp(here)) {                                             \
    entry = NULL;                                                 \
    (fault)->env = (failing);                                     \
    snprintf((fault)->text, sizeof((fault)->text), "%s", said);   \
    return NACRE_ERROR;                                           \
  }                                                               \
  entry = &here
#define UNGUARD() entry = NULL

int nacre_load(const char* xml, int length, mjModel** model, nacre_fault* fault) {
  mjVFS* vfs = malloc(sizeof(mjVFS));
  if (!vfs) return say(fault, NACRE_ERROR, "out of memory");
  mj.mj_defaultVFS(vfs);
  char text[sizeof fault->text] = "";
  GUARD(fault, -1);
  *model = NULL;
  if (mj.mj_addBufferVFS(vfs, "model.xml", xml, length)) {
    snprintf(text, sizeof text, "the model text does not fit into MuJoCo's file system");
  } else {
    *model = mj.mj_loadXML("model.xml", vfs, text, sizeof text);
  }
  mj.mj_deleteVFS(vfs);
  UNGUARD();
  free(vfs);
  return *model ? NACRE_OK : say(fault, NACRE_ERROR, text);
}

int nacre_load_file(const char* path, mjModel** model, nacre_fault* fault) {
  char text[sizeof fault->text] = "";
  GUARD(fault, -1);
  *model = NULL;
  *model = mj.mj_loadXML(path, NULL, text, sizeof text);
  UNGUARD();
  return *model ? NACRE_OK : say(fault, NACRE_ERROR, text);
}

int nacre_make_data(const mjModel* model, mjData** data, nacre_fault* fault) {
  GUARD(fault, -1);
  *data = mj.mj_makeData(model);
  UNGUARD();
  return *data ? NACRE_OK : say(fault, NACRE_ERROR, "mj_makeData: out of memory");
}

void nacre_delete_model(mjModel* model) { mj.mj_deleteModel(model); }

void nacre_delete_data(mjData* data) { mj.mj_deleteData(data); }

int nacre_id(const mjModel* model, int kind, const char* name) { return mj.mj_name2id(model, kind, name); }

const char* nacre_name(const mjModel* model, int kind, int id) { return mj.mj_id2name(model, kind, id); }

void nacre_model_sizes(const mjModel* model, nacre_sizes* sizes) {
  sizes->nq = (int64_t)model->nq;
  sizes->nv = (int64_t)model->nv;
  sizes->nu = (int64_t)model->nu;
  sizes->nbody = (int64_t)model->nbody;
  sizes->ngeom = (int64_t)model->ngeom;
  sizes->nsite = (int64_t)model->nsite;
  sizes->nmocap = (int64_t)model->nmocap;
  sizes->timestep = model->opt.timestep;
}

// warned copies a warning on data's record to fault and reports whether there was one. MuJoCo clears the record only
// in mj_resetData; its own reset after a bad number counts the warning afterwards.
static int warned(const mjData* data, int env, nacre_fault* fault) {
  for (int w = 0; w < mjNWARNING; w++) {
    if (data->warning[w].number && w != mjWARN_VGEOMFULL) {
      fault->env = env;
      if (said[0]) {
        say(fault, NACRE_WARNING, said);
      } else {
        snprintf(fault->text, sizeof fault->text, "MuJoCo warning %d (%d)", w, data->warning[w].lastinfo);
      }
      return 1;
    }
  }
  return 0;
}

double** nacre_field(mjModel* model, int field, int64_t* length) {
  switch (field) {
    case NACRE_BODY_MASS:
      *length = (int64_t)model->nbody;
      return &model->body_mass;
    case NACRE_BODY_INERTIA:
      *length = 3 * (int64_t)model->nbody;
      return &model->body_inertia;
    case NACRE_DOF_DAMPING:
      *length = (int64_t)model->nv;
      return &model->dof_damping;
    case NACRE_GEOM_FRICTION:
      *length = 3 * (int64_t)model->ngeom;
      return &model->geom_friction;
    case NACRE_BODY_POS:
      *length = 3 * (int64_t)model->nbody;
      return &model->body_pos;
    case NACRE_SITE_POS:
      *length = 3 * (int64_t)model->nsite;
      return &model->site_pos;
    default:
      *length = 0;
      return NULL;
  }
}

mjModel* nacre_head(const mjModel* model) {
  mjModel* head = malloc(sizeof(mjModel));
  if (head) memcpy(head, model, sizeof(mjModel));
  return head;
}

void nacre_set_welds(mjModel* model, const double* anchor, const double* pos, const double* quat, double torque_scale) {
  for (int e = 0; e < (int)model->neq; e++) {
    if (model->eq_type[e] != mjEQ_WELD) continue;
    mjtNum* to = model->eq_data + mjNEQDATA * e;
    memcpy(to, anchor, 3 * sizeof(mjtNum));
    memcpy(to + 3, pos, 3 * sizeof(mjtNum));
    memcpy(to + 6, quat, 4 * sizeof(mjtNum));
    to[10] = torque_scale;
  }
}

void nacre_disable_native_ccd(mjModel* model) { model->opt.disableflags |= mjDSBL_NATIVECCD; }

void nacre_compensate_gravity(mjModel* model, int body) {
  if (model->body_gravcomp[body] == 0) model->ngravcomp++;
  model->body_gravcomp[body] = 1;
}

int nacre_copy(const mjModel* model, mjData** to, const mjData* from, nacre_fault* fault) {
  GUARD(fault, -1);
  *to = mj.mj_copyData(*to, model, from);
  UNGUARD();
  return *to ? NACRE_OK : say(fault, NACRE_ERROR, "mj_copyData: out of memory");
}

// The first of a contact's constraint forces is its normal force, for elliptic cones and frictionless contacts. A
// contact that takes no part in the constraints has the address -1.
double nacre_touch(const mjData* data, int geom1, int geom2) {
  double sum = 0;
  for (int k = 0; k < data->ncon; k++) {
    const mjContact* c = data->contact + k;
    const int between = (c->geom1 == geom1 && c->geom2 == geom2) || (c->geom1 == geom2 && c->geom2 == geom1);
    if (between && c->efc_address >= 0) sum += data->efc_force[c->efc_address];
  }
  return sum;
}

static void apply(const nacre_chunk* chunk, int e) {
  if (!chunk->rows) return;
  double* from = chunk->rows + chunk->row * e;
  for (int f = 0; f < chunk->fields; f++) {
    *chunk->field[f].at = from;
    from += chunk->field[f].length;
  }
}

// control_length is how long a row of controls is.
static size_t control_length(const nacre_chunk* chunk) {
  return (size_t)chunk->own->nu + (chunk->mocap ? 7 * (size_t)chunk->own->nmocap : 0);
}

static void set_controls(const nacre_chunk* chunk, mjData* data, const double* ctrl) {
  const mjModel* m = chunk->own;
  memcpy(data->ctrl, ctrl, (size_t)m->nu * sizeof(double));
  if (!chunk->mocap) return;
  ctrl += m->nu;
  for (int b = 0; b < (int)m->nmocap; b++, ctrl += 7) {
    memcpy(data->mocap_pos + 3 * b, ctrl, 3 * sizeof(double));
    memcpy(data->mocap_quat + 4 * b, ctrl + 3, 4 * sizeof(double));
  }
}

static void control_step(const nacre_chunk* chunk, mjData* data, const double* ctrl, int nsub) {
  set_controls(chunk, data, ctrl);
  for (int k = 0; k < nsub; k++) mj.mj_step(chunk->own, data);
  if (chunk->contact_forces) mj.mj_rnePostConstraint(chunk->own, data);
  if (chunk->forward) mj.mj_forward(chunk->own, data);
}

int nacre_reset(const nacre_chunk* chunk, int e, nacre_fault* fault) {
  GUARD(fault, e);
  apply(chunk, e);
  mj.mj_resetData(chunk->own, chunk->data[e]);
  UNGUARD();
  return NACRE_OK;
}

int nacre_forward(const nacre_chunk* chunk, int e, nacre_fault* fault) {
  GUARD(fault, e);
  apply(chunk, e);
  mj.mj_forward(chunk->own, chunk->data[e]);
  UNGUARD();
  return warned(chunk->data[e], e, fault) ? NACRE_WARNING : NACRE_OK;
}

int nacre_advance(const nacre_chunk* chunk, int e, int n, nacre_fault* fault) {
  GUARD(fault, e);
  apply(chunk, e);
  for (int k = 0; k < n; k++) mj.mj_step(chunk->own, chunk->data[e]);
  UNGUARD();
  return warned(chunk->data[e], e, fault) ? NACRE_WARNING : NACRE_OK;
}

int nacre_step_chunk(const nacre_chunk* chunk, const double* ctrl, const uint8_t* active, int nsub, nacre_fault* fault) {
  volatile int e = 0;
  GUARD(fault, e);
  const size_t row = control_length(chunk);
  for (; e < chunk->n; e++) {
    if (!active[e]) continue;
    apply(chunk, e);
    control_step(chunk, chunk->data[e], ctrl + row * (size_t)e, nsub);
    if (warned(chunk->data[e], e, fault)) {
      UNGUARD();
      return NACRE_WARNING;
    }
  }
  UNGUARD();
  return NACRE_OK;
}

int nacre_plain_loop(const nacre_chunk* chunk, const double* ctrl, int steps, int nsub, nacre_fault* fault) {
  volatile int e = 0;
  GUARD(fault, e);
  const size_t row = control_length(chunk);
  for (; e < chunk->n; e++) {
    apply(chunk, e);
    for (int t = 0; t < steps; t++) {
      control_step(chunk, chunk->data[e], ctrl + row * ((size_t)t * (size_t)chunk->n + (size_t)e), nsub);
    }
  }
  UNGUARD();
  return NACRE_OK;
}

double nacre_cpu_seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }
