import { type Attributes, textOf } from '../dot/graph.ts'
import { CONSENSUS_SERVICES, SESSION_SERVICES } from './aliases.ts'
import type { CanonicalType, Resolution } from './typed.ts'

/** What a canonical type does at each word of the attribute that chooses. */
interface DispatchRule {
  readonly attribute: string
  readonly words: ReadonlyMap<string, string>
  /** What is done where the attribute is not written. */
  readonly fallback: (attributes: Attributes) => string
}

const always = (operation: string) => () => operation

const MEMORY_READS = new Map([
  ['recall', 'memory.recall'],
  ['working_load', 'memory.working_load'],
  ['stats', 'memory.stats'],
  ['recall_store', 'memory.recall_store'],
])
const MEMORY_WRITES = new Map([
  ['consolidate', 'memory.consolidate'],
  ['index', 'memory.index'],
  ['working_save', 'memory.working_save'],
  ['store_file', 'memory.store_file'],
])

/** Words whose operation a second attribute, `op`, chooses. */
const SERVICES: ReadonlyMap<string, { readonly ops: ReadonlyMap<string, string>; readonly usual?: string }> = new Map([
  ['read memory', { ops: MEMORY_READS, usual: 'memory.recall' }],
  ['write memory', { ops: MEMORY_WRITES, usual: 'memory.index' }],
  [
    'write eval',
    {
      ops: new Map([
        ['persist', 'eval.persist'],
        ['report', 'eval.report'],
      ]),
      usual: 'eval.persist',
    },
  ],
  ['compose session', { ops: serviceNames('session', SESSION_SERVICES) }],
  ['compose consensus', { ops: serviceNames('consensus', CONSENSUS_SERVICES) }],
])

const VALIDATION = ['min_length', 'max_length', 'must_contain', 'must_not_contain', 'json_schema', 'pattern']

const DISPATCH: ReadonlyMap<CanonicalType, DispatchRule> = new Map<CanonicalType, DispatchRule>([
  [
    'compute',
    {
      attribute: 'purpose',
      words: new Map([
        ['llm', 'codergen'],
        ['transform', 'transform'],
        ['shell', 'shell'],
        ['routing', 'routing.select'],
        ['ab_test', 'prompt.ab_test'],
        ['drift_detect', 'drift_detect'],
        ['retry_escalate', 'retry.escalate'],
        ['eval_run', 'eval.run'],
        ['eval_aggregate', 'eval.aggregate'],
      ]),
      fallback: always('codergen'),
    },
  ],
  [
    'exec',
    {
      attribute: 'target',
      words: new Map([
        ['tool', 'tool'],
        ['shell', 'shell'],
        ['action', 'action'],
        ['function', 'function'],
      ]),
      fallback: always('tool'),
    },
  ],
  [
    'read',
    {
      attribute: 'source',
      words: new Map([
        ['file', 'read.file'],
        ['context', 'read.context'],
        ['api', 'read.api'],
        ['eval_dataset', 'eval.dataset'],
      ]),
      fallback: (attributes) => (attributes.has('path') ? 'read.file' : attributes.has('source_key') ? 'read.context' : 'memory.recall'),
    },
  ],
  [
    'write',
    {
      attribute: 'target',
      words: new Map([
        ['file', 'file.write'],
        ['context', 'write.context'],
        ['api', 'write.api'],
        ['accumulator', 'accumulator'],
      ]),
      fallback: (attributes) =>
        attributes.has('output') || attributes.has('path') ? 'file.write' : attributes.has('output_key') ? 'write.context' : 'memory.index',
    },
  ],
  [
    'compose',
    {
      attribute: 'mode',
      words: new Map([
        ['invoke', 'graph.invoke'],
        ['compose', 'graph.compose'],
        ['pipeline', 'pipeline.run'],
        ['feedback', 'feedback.loop'],
        ['manager_loop', 'stack.manager_loop'],
      ]),
      fallback: (attributes) => (attributes.has('source_file') ? 'pipeline.run' : 'graph.invoke'),
    },
  ],
  [
    'wait',
    {
      attribute: 'source',
      words: new Map([
        ['human', 'wait.human'],
        ['timer', 'wait.timer'],
        ['signal', 'wait.signal'],
      ]),
      fallback: always('wait.human'),
    },
  ],
  [
    'gate',
    {
      attribute: 'predicate',
      words: new Map([
        ['output_valid', 'output.validate'],
        ['pipeline_valid', 'pipeline.validate'],
        ['expression', 'gate.expression'],
        ['budget_ok', 'gate.budget'],
        ['approval', 'gate.approval'],
        ['trust', 'gate.trust'],
        ['capability', 'gate.capability'],
      ]),
      fallback: (attributes) =>
        attributes.has('condition_key') || attributes.has('expression')
          ? 'gate.expression'
          : VALIDATION.some((key) => attributes.has(key))
            ? 'output.validate'
            : 'gate',
    },
  ],
])

/** What an operation is called that nothing performs: the word that should choose one is not known. */
export const UNKNOWN_OPERATION = 'unknown'

/** The attribute that chooses what a canonical type does, and the words that it knows; nothing for types that do one thing. */
export function dispatchOf(canonical: CanonicalType): { readonly attribute: string; readonly words: readonly string[] } | undefined {
  const rule = DISPATCH.get(canonical)
  if (rule === undefined) return undefined
  const services = [...SERVICES.keys()].filter((key) => key.startsWith(`${canonical} `)).map((key) => key.slice(canonical.length + 1))
  return { attribute: rule.attribute, words: [...rule.words.keys(), ...services] }
}

/**
 * What a node does, by one name for all its spellings: `type="codergen"`, a plain box and `type="compute" purpose="llm"`
 * are all `codergen`. It is named as the alias that does the same; what no alias does has a name of its own, such as
 * `read.file`, `action` or `gate.expression`. A type that does one thing has its own name.
 *
 * Where an alias is written, what it injects decides and authored attributes do not (reference pipeline 4.1); a word that
 * nothing knows gives `unknown`, and whatever would execute the node must refuse it.
 */
export function operationOf({ canonical, rawType, injected, custom }: Resolution, attributes: Attributes): string {
  if (custom !== undefined) return 'custom'
  const rule = DISPATCH.get(canonical)
  if (rule === undefined) return canonical
  if (rawType.startsWith('session.') || rawType.startsWith('consensus.')) return rawType
  const isAlias = rawType !== canonical
  const word = (name: string): string | undefined => (isAlias ? injected[name] : textOf(attributes, name)?.trim() || undefined)
  const chosen = word(rule.attribute) ?? (canonical === 'read' ? word('target') : undefined)
  if (chosen === undefined) return rule.fallback(attributes)
  const operation = rule.words.get(chosen)
  if (operation !== undefined) return operation
  const service = SERVICES.get(`${canonical} ${chosen}`)
  if (service === undefined) return UNKNOWN_OPERATION
  const op = word('op')
  return (op === undefined ? service.usual : service.ops.get(op)) ?? UNKNOWN_OPERATION
}

function serviceNames(family: string, services: readonly string[]): ReadonlyMap<string, string> {
  return new Map(services.map((service) => [service, `${family}.${service}`]))
}
