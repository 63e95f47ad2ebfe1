import { OR } from 'reflex-runtime/store'
import type { Names } from './names.ts'

/**
 * The function `lacking`: the needs of a turn that a worker does not meet. A worker with `function:workflow/approved@*` has that function in
 * every version, and one with `model:openai` meets `model:anthropic or model:openai`.
 */
export function able({ own }: Names): string {
  return `
create or replace function ${own}.lacking(wanted text[], given text[]) returns text[] language sql immutable
  set search_path = pg_catalog, pg_temp as $$
  select array(select need from unnest(wanted) as need where need <> all(given) and regexp_replace(need, '@[^@]*$', '@*') <> all(given)
    and not string_to_array(need, '${OR}') && given)
$$;`
}

/**
 * Returns the condition that a worker meets all needs of a turn. Only for a worker with functions in every version, and for a need that any of
 * several words meets, it costs more than a comparison.
 */
export function isAble(own: string, needs: string): string {
  return `(can @> ${needs} or ((open or ${needs}::text like '%${OR}%') and ${own}.lacking(${needs}, can) = '{}'))`
}
