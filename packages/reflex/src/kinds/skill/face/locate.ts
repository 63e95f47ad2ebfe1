import type { FaultDetails } from '../../../kernel/index.ts'
import type { LocateTarget } from '../../../programs/language.ts'
import { type Path, readJson, valueAt } from '../../../text/index.ts'
import { pointerLocator } from '../manifest/report.ts'

/**
 * Returns the place of a node in the text of a manifest: a step by its id, or by `s` and its index; `verify`; and a compensation as
 * `compensation[0]`. Any other node is at the plan. A plan has no edges: its steps run in their order. Never throws.
 */
export function locateInSkill(text: string, file: string | undefined, { node }: LocateTarget, note?: string): FaultDetails {
  const json = readJson(text, file)
  const locate = pointerLocator(json)
  if (node === undefined) return locate([], { note })
  const path = pathOf(json.value, node)
  return locate(path, { note, ...(path.length < 3 ? { part: 'key' } : {}) })
}

function pathOf(value: unknown, node: string): Path {
  const steps = valueAt(value, ['plan', 'steps'])
  const index = Array.isArray(steps) ? steps.findIndex((step, at) => (valueAt(step, ['id']) ?? `s${at}`) === node) : -1
  if (index >= 0) return ['plan', 'steps', index]
  if (node === 'verify' && valueAt(value, ['plan', 'verify']) !== undefined) return ['plan', 'verify']
  const [, undo] = /^compensation\[(\d{1,4})\]$/.exec(node) ?? []
  return undo === undefined ? ['plan'] : ['plan', 'compensation', Number(undo)]
}
