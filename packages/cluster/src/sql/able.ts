import type { Names } from './names.ts'

/**
 * The function `lacking`: the words of a turn that a worker does not have. A worker with `function:workflow/approved@*` has that function in
 * every version.
 */
export function able({ own }: Names): string {
  return `
create or replace function ${own}.lacking(wanted text[], given text[]) returns text[] language sql immutable
  set search_path = pg_catalog, pg_temp as $$
  select array(select need from unnest(wanted) as need where need <> all(given) and regexp_replace(need, '@[^@]*$', '@*') <> all(given))
$$;`
}

/** Returns the condition that a worker has all words of a turn. Only for one with functions in every version it costs more than a comparison. */
export function isAble(own: string, needs: string): string {
  return `(can @> ${needs} or (open and ${own}.lacking(${needs}, can) = '{}'))`
}
