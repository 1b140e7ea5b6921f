/* What Debian's libstdc++ and libgcc_s import from glibc and musl does not have: tests/labs/musl.sh preloads it. */
#define _GNU_SOURCE
#include <link.h>
#include <stddef.h>
#include <locale.h>
#include <sys/random.h>
#include <time.h>

char __libc_single_threaded;

int __cpu_model[4];

int __cpu_indicator_init(void) { return 0; }

int __cxa_thread_atexit_impl(void (*destroy)(void *), void *object, void *library) { return 0; }

size_t __strftime_l(char *s, size_t n, const char *format, const struct tm *t, locale_t l) { return strftime_l(s, n, format, t, l); }

unsigned arc4random(void) { unsigned r; getrandom(&r, sizeof r, 0); return r; }

struct asked { size_t pc; struct dl_find_object *found; };

static int look(struct dl_phdr_info *info, size_t size, void *data)
{
  struct asked *asked = data;
  void *frame = NULL;
  int here = 0;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *p = &info->dlpi_phdr[i];
    size_t start = info->dlpi_addr + p->p_vaddr;
    if (p->p_type == PT_GNU_EH_FRAME) frame = (void *)start;
    if (p->p_type == PT_LOAD && asked->pc - start < p->p_memsz) {
      here = 1;
      asked->found->dlfo_map_start = (void *)start;
      asked->found->dlfo_map_end = (void *)(start + p->p_memsz);
    }
  }
  if (here && frame) asked->found->dlfo_eh_frame = frame;
  return here && frame;
}

int _dl_find_object(void *pc, struct dl_find_object *found)
{
  struct asked asked = { (size_t)pc, found };
  return dl_iterate_phdr(look, &asked) ? 0 : -1;
}
