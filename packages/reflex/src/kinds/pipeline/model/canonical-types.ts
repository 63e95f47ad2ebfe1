import type { CanonicalType } from './resolution.ts'

/** The fifteen canonical types, in the order of seed pipeline 4.2. */
export const CANONICAL_TYPES: readonly CanonicalType[] = [
  'start',
  'exit',
  'branch',
  'parallel',
  'fan_in',
  'compute',
  'transform',
  'exec',
  'read',
  'write',
  'compose',
  'map',
  'adapt',
  'wait',
  'gate',
]

/** The attribute whose value selects the operation of a canonical type. The operations define the values. */
export interface Choice {
  readonly attribute: string
  /** A second attribute that applies if the first is not written. */
  readonly also?: string
  readonly usual: string
  readonly does: string
  /** True if nodes of every type can have the attribute. */
  readonly everywhere?: true
}

/** The selecting attributes of the canonical types. Other types have one operation. */
export const CHOICES: Readonly<Partial<Record<CanonicalType, Choice>>> = {
  compute: { attribute: 'purpose', usual: 'llm', does: 'What a node of type compute does.', everywhere: true },
  exec: { attribute: 'target', usual: 'tool', does: 'What a node of type exec runs.' },
  read: { attribute: 'source', also: 'target', usual: 'by attributes', does: 'What a node of type read reads.' },
  write: { attribute: 'target', usual: 'by attributes', does: 'What a node of type write writes to.' },
  compose: { attribute: 'mode', usual: 'invoke', does: 'What a node of type compose does.' },
  wait: { attribute: 'source', usual: 'human', does: 'What a node of type wait waits for.' },
  gate: { attribute: 'predicate', usual: '', does: 'What a gate asks.' },
}
