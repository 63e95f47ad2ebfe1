import { faults } from '../../kernel/journal/faults.ts'
import type { Flight } from '../../kernel/state/frame.ts'
import type { Json } from '../../kernel/journal/json.ts'
import type { Choice } from '../../kernel/step/kind.ts'
import { didYouMean, suggest } from '../../text/index.ts'
import { type CompiledWorkflow, DECIDE, nodeAt } from './compile.ts'

/**
 * A decision in flight as somebody makes it by hand: over an edge that is named by its id, its event or where it leads. It is what
 * the port would have accepted of an agent. Throws `R2064` for an edge that is not there or closed.
 */
export function decideByHand(
  ways: readonly Choice[],
  { workflow }: CompiledWorkflow,
  { port, frame }: Flight,
  word: string,
  by: string,
): { readonly value: Json; readonly chose: string } | undefined {
  if (port !== DECIDE) return undefined
  const node = nodeAt(frame.position) ?? ''
  const edges = workflow.edges.filter(({ from }) => from === node)
  const named = [edges.filter(({ id }) => id === word), edges.filter(({ event }) => event === word), edges.filter(({ to }) => to === word)]
  const folded = edges.filter(({ id, event }) => [id, event].some((name) => name.toLowerCase() === word.toLowerCase()))
  const found = [...named, folded].find(({ length }) => length === 1)?.[0]
  const way = ways.find(({ id }) => id === found?.id)
  const place = `${workflow.id}/${node}`
  const open = ways.filter((one) => one.open).map(({ id }) => id)
  const fix = open.length === 0 ? 'fork elsewhere: no way on is open' : `name one of ${open.join(', ')}`
  if (way === undefined) {
    const hint = didYouMean(
      suggest(
        word,
        edges.flatMap(({ id, event, to }) => [id, event, to]),
      ),
    )
    throw faults.make('R2064', `${place} has no way ${JSON.stringify(word)}${hint === undefined ? '' : `; ${hint}`}`, { path: place, fix })
  }
  if (!way.open)
    throw faults.make('R2064', `${way.id} is closed at ${place}: ${way.why ?? 'its guard does not pass'}`, { path: place, fix })
  return { value: [way.id, 0, { by }], chose: way.id }
}
