//go:build mujoco && cgo

#include "chunk.h"

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

void nacre_install_handlers(void) {
  mju_user_error = on_error;
  mju_user_warning = on_warning;
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

static int say(nacre_fault* fault, int code, const char* text) {
  snprintf(fault->text, sizeof(fault->text), "%s", text);
  return code;
}

int nacre_header_version(void) { return mjVERSION_HEADER; }

static int add_buffer(mjVFS* vfs, const char* name, const char* text, int length) {
#if mjVERSION_HEADER >= 313
  return mj_addBufferVFS(vfs, name, text, length);
#else
  if (mj_makeEmptyFileVFS(vfs, name, length)) return 1;
  memcpy(vfs->filedata[mj_findFileVFS(vfs, name)], text, length);
  return 0;
#endif
}

int nacre_load(const char* xml, int length, mjModel** model, nacre_fault* fault) {
  mjVFS* vfs = malloc(sizeof(mjVFS));
  if (!vfs) return say(fault, NACRE_ERROR, "out of memory");
  mj_defaultVFS(vfs);
  char text[sizeof fault->text] = "";
  GUARD(fault, -1);
  *model = NULL;
  if (add_buffer(vfs, "model.xml", xml, length)) {
    snprintf(text, sizeof text, "the model text does not fit into MuJoCo's file system");
  } else {
    *model = mj_loadXML("model.xml", vfs, text, sizeof text);
  }
  mj_deleteVFS(vfs);
  UNGUARD();
  free(vfs);
  return *model ? NACRE_OK : say(fault, NACRE_ERROR, text);
}

int nacre_make_data(const mjModel* model, mjData** data, nacre_fault* fault) {
  GUARD(fault, -1);
  *data = mj_makeData(model);
  UNGUARD();
  return *data ? NACRE_OK : say(fault, NACRE_ERROR, "mj_makeData: out of memory");
}

// Sizes are int up to 3.4 and 64-bit after.
void nacre_model_sizes(const mjModel* model, nacre_sizes* sizes) {
  sizes->nq = (int64_t)model->nq;
  sizes->nv = (int64_t)model->nv;
  sizes->nu = (int64_t)model->nu;
  sizes->nbody = (int64_t)model->nbody;
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

int nacre_reset(const mjModel* model, mjData* data, nacre_fault* fault) {
  GUARD(fault, -1);
  mj_resetData(model, data);
  UNGUARD();
  return NACRE_OK;
}

double* nacre_field(mjModel* model, int field, int64_t* length) {
  switch (field) {
    case NACRE_BODY_MASS:
      *length = (int64_t)model->nbody;
      return model->body_mass;
    case NACRE_BODY_INERTIA:
      *length = 3 * (int64_t)model->nbody;
      return model->body_inertia;
    case NACRE_DOF_DAMPING:
      *length = (int64_t)model->nv;
      return model->dof_damping;
    case NACRE_GEOM_FRICTION:
      *length = 3 * (int64_t)model->ngeom;
      return model->geom_friction;
    default:
      *length = 0;
      return NULL;
  }
}

static void apply(const nacre_chunk* chunk, int e) {
  if (!chunk->rows) return;
  const double* from = chunk->rows + chunk->row * e;
  for (int f = 0; f < chunk->fields; f++) {
    memcpy(chunk->field[f].at, from, (size_t)chunk->field[f].length * sizeof(double));
    from += chunk->field[f].length;
  }
}

static void control_step(const nacre_chunk* chunk, mjData* data, const double* ctrl, int nsub) {
  memcpy(data->ctrl, ctrl, (size_t)chunk->model->nu * sizeof(double));
  for (int k = 0; k < nsub; k++) mj_step(chunk->model, data);
  if (chunk->contact_forces) mj_rnePostConstraint(chunk->model, data);
}

int nacre_forward(const nacre_chunk* chunk, int e, nacre_fault* fault) {
  GUARD(fault, e);
  apply(chunk, e);
  mj_forward(chunk->model, chunk->data[e]);
  UNGUARD();
  return warned(chunk->data[e], e, fault) ? NACRE_WARNING : NACRE_OK;
}

int nacre_step_chunk(const nacre_chunk* chunk, const double* ctrl, const uint8_t* active, int nsub, nacre_fault* fault) {
  volatile int e = 0;
  GUARD(fault, e);
  const size_t nu = (size_t)chunk->model->nu;
  for (; e < chunk->n; e++) {
    if (!active[e]) continue;
    apply(chunk, e);
    control_step(chunk, chunk->data[e], ctrl + nu * (size_t)e, nsub);
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
  const size_t nu = (size_t)chunk->model->nu;
  for (; e < chunk->n; e++) {
    apply(chunk, e);
    for (int t = 0; t < steps; t++) {
      control_step(chunk, chunk->data[e], ctrl + nu * ((size_t)t * (size_t)chunk->n + (size_t)e), nsub);
    }
  }
  UNGUARD();
  return NACRE_OK;
}

double nacre_cpu_seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }
