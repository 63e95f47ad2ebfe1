import { type Change, isObject, type Json, type JsonObject } from '../../../kernel/index.ts'
import type { FindDefinition, StoryEvent } from '../../../programs/kind-view.ts'
import type { CompiledTree } from '../compile/compiled.ts'
import { Layout } from '../compile/layout.ts'
import { laidOut, treeFinder } from '../debug/laid-out.ts'
import { writtenValue } from '../debug/written-value.ts'
import { textOf } from '../model/text-of.ts'
import { NEXT, RELOAD_KEY, RELOAD_POLICIES } from '../tick/reload-request.ts'
import { treeDifference } from '../tick/tree-difference.ts'

/** Returns the story of a version that was saved: when it waits for the end of the execution, and when it has replaced the tree. */
export function reloadStory(change: Change<CompiledTree>, definition: FindDefinition): StoryEvent[] {
  const { note } = change.record.more ?? {}
  if (isObject(note) && isObject(note.reload)) {
    const { added, removed, changed } = note.reload
    return [{ mark: 'warn', text: `reloaded: ${differenceText(added, removed, changed)}`, facts: { reload: note.reload } }]
  }
  const waiting = writtenValue(change.record, RELOAD_KEY)
  return isObject(waiting) ? [savedStory(change, definition, waiting)] : []
}

function savedStory({ def, frame }: Change<CompiledTree>, definition: FindDefinition, { policy }: JsonObject): StoryEvent {
  const next = definition(`tree:${def.id}${NEXT}`) as CompiledTree | undefined
  const find = treeFinder(definition)
  const difference =
    next === undefined
      ? undefined
      : treeDifference(laidOut(def, frame.position, find), new Layout(next, (name) => find(`${name}${NEXT}`) ?? find(name)))
  const text = difference === undefined ? 'another version' : differenceText(difference.added, difference.removed, difference.changed)
  const when = policy === RELOAD_POLICIES[0] ? 'swaps when this execution has ended' : 'swaps now; this execution is cancelled'
  return { mark: 'warn', text: `saved: ${text}; ${when}`, facts: { policy: policy ?? null } }
}

/** The nodes in which a version differs from the one that it replaces: `+ retry, − wait, ~ root`. */
function differenceText(...lists: readonly (Json | readonly Json[] | undefined)[]): string {
  const parts = lists.flatMap((paths, i) => (Array.isArray(paths) ? paths.map((path: Json) => `${'+−~'[i]} ${textOf(path)}`) : []))
  return parts.length === 0 ? 'the same nodes' : parts.join(', ')
}
