import { type Attributes, isOn, textOf } from '../dot/graph.ts'
import type { DataClass } from './typed.ts'
import type { CanonicalType } from './resolution.ts'

/** The data classes from least to most sensitive. */
export const DATA_CLASSES: readonly DataClass[] = ['public', 'internal', 'sensitive', 'secret']

const PUBLIC: ReadonlySet<CanonicalType> = new Set(['transform', 'branch', 'start', 'exit', 'fan_in', 'parallel'])

/** Attributes that have a path or the name of a value. */
const NAME_ATTRIBUTES: ReadonlySet<string> = new Set([
  'path',
  'output',
  'source_file',
  'baseline_path',
  'memory_store',
  'dataset',
  'graph_file',
  'persistence',
  'param.path',
  'source_key',
  'output_key',
  'content_key',
  'input_key',
  'context_keys',
  'env_keys',
  'prompt_context_key',
  'attachments',
  'attachments_context_key',
])

const SECRET_NAME =
  /(^|[^a-z0-9])(\.env|secrets?|passwords?|passwd|credentials?|private[_-]?key|api[_-]?key|access[_-]?key|id_(rsa|ed25519|ecdsa))($|[^a-z0-9])|\.(pem|p12|pfx)($|[^a-z0-9])/i

/** Returns the more sensitive of two classes. */
export function higherClass(a: DataClass, b: DataClass): DataClass {
  return DATA_CLASSES.indexOf(a) >= DATA_CLASSES.indexOf(b) ? a : b
}

/**
 * Returns the sensitivity of the data of a node (seed pipeline 9.3; reference pipeline 5.4): the higher of `data_class` and
 * `sensitive` if the author wrote one; otherwise secret if a path or name suggests it; otherwise by type.
 */
export function classOf(
  canonical: CanonicalType,
  attributes: Attributes,
): { readonly dataClassification: DataClass; readonly classified: boolean } {
  const stated = statedClass(attributes)
  if (isOn(attributes, 'sensitive')) return { dataClassification: higherClass(stated ?? 'sensitive', 'sensitive'), classified: true }
  if (stated !== undefined) return { dataClassification: stated, classified: true }
  const isSecret = canonical === 'adapt' || namesSecret(attributes)
  return { dataClassification: isSecret ? 'secret' : PUBLIC.has(canonical) ? 'public' : 'internal', classified: false }
}

function statedClass(attributes: Attributes): DataClass | undefined {
  const written = textOf(attributes, 'data_class')?.trim().toLowerCase()
  return written === undefined ? undefined : DATA_CLASSES.find((known) => known === written)
}

function namesSecret(attributes: Attributes): boolean {
  for (const name of attributes.keys()) if (NAME_ATTRIBUTES.has(name) && SECRET_NAME.test(textOf(attributes, name) ?? '')) return true
  return false
}
