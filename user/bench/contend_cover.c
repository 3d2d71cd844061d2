// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads what `hytrace cover --engine bpf` (contend_tools.c) has seen while it runs, from its BPF
 * programs, which are found by name.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "base/fdinfo.h"
#include "bench/bench.h"

/* The last program's ID before the run: programs of other runs may have the same names. */
static __u32 last_program;

void cover__remember_programs(void)
{
	__u32 id = 0;

	while (!bpf_prog_get_next_id(id, &id))
		last_program = id;
}

/* Opens the loader's first program with an ID after @after, and sets @after to this ID. */
static int open_program(__u32 *after)
{
	while (!bpf_prog_get_next_id(*after, after)) {
		struct bpf_prog_info info = {};
		__u32 size = sizeof(info);
		int fd = bpf_prog_get_fd_by_id(*after);

		if (fd >= 0 && !bpf_prog_get_info_by_fd(fd, &info, &size) &&
		    !strncmp(info.name, "cover_", 6))
			return fd;
		close(fd);
	}
	return -ENOENT;
}

/* Opens the link of a program. Returns -1 if it has none. */
static int open_link(int prog)
{
	struct bpf_prog_info info = {};
	__u32 id = 0, size = sizeof(info);

	if (bpf_prog_get_info_by_fd(prog, &info, &size))
		return bench_error(-errno, "cannot read the program's number");
	while (!bpf_link_get_next_id(id, &id)) {
		struct bpf_link_info link = {};
		int fd = bpf_link_get_fd_by_id(id);

		size = sizeof(link);
		if (fd >= 0 && !bpf_link_get_info_by_fd(fd, &link, &size) && link.prog_id == info.id)
			return fd;
		close(fd);
	}
	return -1;
}

/* Opens a map. All programs of a loader share their maps. */
static int open_map(const char *name, struct bpf_map_info *ret_info)
{
	__u32 ids[16], last = last_program, size = sizeof(struct bpf_prog_info);
	struct bpf_prog_info info = { .nr_map_ids = 16, .map_ids = (uintptr_t)ids };
	int prog = open_program(&last), err;

	if (prog < 0)
		return bench_error(prog, "the loader has no BPF program");
	err = bpf_prog_get_info_by_fd(prog, &info, &size);
	close(prog);
	if (err)
		return bench_error(err, "cannot read the program's maps");
	for (__u32 i = 0; i < info.nr_map_ids; i++) {
		int fd = bpf_map_get_fd_by_id(ids[i]);

		memset(ret_info, 0, sizeof(*ret_info));
		size = sizeof(*ret_info);
		if (fd >= 0 && !bpf_map_get_info_by_fd(fd, ret_info, &size) &&
		    !strcmp(ret_info->name, name))
			return fd;
		close(fd);
	}
	return bench_error(-ENOENT, "the program has no map %s", name);
}

#define COVER_LOG "hits"
#define COVER_SET ".bss.set"

/* Counts the log's entries. They are contiguous, and begin with an address, which is not 0. */
static int count_entries(int map, const struct bpf_map_info *info, double *ret_count)
{
	size_t bytes = (size_t)info->max_entries * info->value_size;
	char *entries = mmap(NULL, bytes, PROT_READ, MAP_SHARED, map, 0);

	if (entries == MAP_FAILED)
		return bench_error(-errno, "cannot map the program's log");
	*ret_count = 0;
	while (*ret_count < info->max_entries &&
	       *(__u64 *)&entries[(size_t)*ret_count * info->value_size])
		++*ret_count;
	munmap(entries, bytes);
	return 0;
}

static int sum_missed(double *ret)
{
	__u32 id = last_program;
	int prog, err = 0;

	*ret = 0;
	while (!err && (prog = open_program(&id)) >= 0) {
		int link = open_link(prog);
		double missed = 0;

		err = link < -1 ? link : bench__missed_calls(prog, link, &missed);
		*ret += missed;
		if (link >= 0)
			close(link);
		close(prog);
	}
	return err;
}

int cover__report(const struct contender *c, struct bench_row *row)
{
	struct bpf_map_info info;
	int err = sum_missed(&row->missed), map;

	if (err)
		return err;
	map = open_map(COVER_LOG, &info);
	if (map < 0)
		return map;
	err = count_entries(map, &info, &row->seen);
	row->memory_bytes = fdinfo__memory(map);
	close(map);
	if (err)
		return err;
	map = open_map(COVER_SET, &info);
	if (map < 0)
		return map;
	row->memory_bytes += fdinfo__memory(map);
	close(map);
	return 0;
}

/* Clears the set. The log continues after its old entries. */
int cover__clear(const struct contender *c)
{
	struct bpf_map_info info;
	int set = open_map(COVER_SET, &info), err;
	__u32 zero = 0;
	void *empty;

	if (set < 0)
		return set;
	/* No xcalloc(): if this process ended, nobody would end the loader, which still records. */
	empty = calloc(1, info.value_size);
	err = empty ? bpf_map_update_elem(set, &zero, empty, BPF_ANY) : -ENOMEM;
	free(empty);
	close(set);
	return err ? bench_error(err, "cannot clear the set") : 0;
}
