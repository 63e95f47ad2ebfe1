import { quote } from '../../../text/index.ts'
import { outputOf } from '../contract/skip.ts'
import { plainKey, writesOf } from '../model/node-keys.ts'
import type { TypedNode } from '../model/typed.ts'
import { WrittenNode } from '../model/written-node.ts'
import type { LintRule } from './finding.ts'
import type { LintSubject } from './subject.ts'

/** Node types that may write any key: through a status file, the result of another program, or code of the host. */
const WRITES_ANY: ReadonlySet<string> = new Set(['exec', 'compose', 'adapt', 'map', 'parallel'])
const SIZES: ReadonlySet<string | undefined> = new Set(['<', '<=', '>', '>='])

/**
 * Finds loops that end by a count that is computed from a key that nothing writes: the count is the same in each round, so the
 * loop never ends by it. An error: a run would only stop at its limits.
 */
export const counterMissing: LintRule = {
  name: 'counter_missing',
  code: 'R1157',
  *apply(subject) {
    const nodes = [...subject.nodes.values()]
    if (subject.cycles.length === 0 || nodes.some(({ custom, canonical }) => custom !== undefined || WRITES_ANY.has(canonical))) return
    const written = new Set(
      nodes.flatMap(({ id, facts, node: { attributes } }) => writesOf({ id, facts, attributes }).map(({ key }) => key)),
    )
    for (const members of subject.cycles) {
      const ordered = new Set(members.flatMap((id) => orderedKeys(subject, id)))
      for (const node of members.flatMap((id) => subject.nodes.get(id) ?? [])) {
        const source = sourceOfCount(node)
        if (source === undefined || !ordered.has(plainKey(outputOf(node))) || isWritten(written, source)) continue
        const output = plainKey(outputOf(node))
        yield {
          message: `${quote(node.id)} counts ${output} from ${source}; no node writes this key, so the count is the same in each round of the loop`,
          node: node.id,
          attribute: 'source_key',
          fix: `write source_key=${output}`,
        }
      }
    }
  },
}

/** The key that a node increments. */
function sourceOfCount({ facts, node: { attributes } }: TypedNode): string | undefined {
  const source = facts.counts?.(new WrittenNode(attributes))
  return source === undefined ? undefined : plainKey(source)
}

/** Returns the keys that a node's edges compare by size. */
function orderedKeys({ outgoing }: LintSubject, id: string): readonly string[] {
  const clauses = (outgoing.get(id) ?? []).flatMap(({ condition }) => condition?.clauses ?? [])
  return clauses.flatMap(({ key, operator }) => (SIZES.has(operator) ? [plainKey(key)] : []))
}

function isWritten(written: ReadonlySet<string>, key: string): boolean {
  const parts = key.split('.')
  return parts.some((_, i) => written.has(parts.slice(0, i + 1).join('.')) || written.has(`${parts.slice(0, i + 1).join('.')}.`))
}
