import type { Json } from '../../../../kernel/index.ts'

/** The mark of a sequence that is a loop over a list that stands in the port `queue`: it writes the list, and then loops over it. */
export const LIST_LOOP = 'Loop'

/** Reads the list of a loop, `1;2;3`, with items of the type of the loop. Undefined if an item has another type. */
export function listIn(queue: string, loop: string): readonly Json[] | undefined {
  const items = queue.split(';').map((item) => itemIn(item, loop))
  return items.includes(undefined) ? undefined : (items as readonly Json[])
}

function itemIn(item: string, loop: string): Json | undefined {
  const text = item.trim()
  if (loop === 'LoopBool') return /^(true|1)$/.test(text) ? true : /^(false|0)$/.test(text) ? false : undefined
  if (loop === 'LoopInt') return /^-?\d{1,15}$/.test(text) ? Number(text) + 0 : undefined
  if (loop === 'LoopDouble') return text !== '' && Number.isFinite(Number(text)) ? Number(text) + 0 : undefined
  return item
}
