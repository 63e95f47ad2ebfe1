import { type Attributes, isOn, textOf } from '../dot/graph.ts'
import { factsOf } from './operations.ts'
import type { Idempotency, Resolution } from './typed.ts'
import type { CustomHandler } from './resolve.ts'

/**
 * Whether a node may be executed again (seed pipeline 4.3; reference pipeline 4.1). The author's `idempotent` goes before
 * what the operation says; and an operation is no better than its attributes: text that is added to a file, a request
 * that is no GET, a fan-in that asks a model.
 */
export function idempotencyOf(
  { custom }: Resolution,
  operation: string,
  attributes: Attributes,
  handlers: ReadonlyMap<string, CustomHandler>,
): Idempotency {
  if (attributes.has('idempotent')) return isOn(attributes, 'idempotent') ? 'idempotent' : 'side_effecting'
  if (custom !== undefined) return handlers.get(custom)?.idempotency ?? 'side_effecting'
  if (operation === 'file.write' && isOn(attributes, 'append')) return 'side_effecting'
  if (operation === 'read.api' && !/^(get|head)?$/i.test(textOf(attributes, 'method')?.trim() ?? '')) return 'side_effecting'
  if (operation === 'fan_in' && attributes.has('prompt')) return 'idempotent_with_key'
  return factsOf(operation).idempotency
}
