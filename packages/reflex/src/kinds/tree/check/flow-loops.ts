import { textOf } from '../model/text-of.ts'
import { NIL } from './domain.ts'
import type { CheckedNode } from './subject.ts'
import { type Delta, type Ends, NO_CHANGE } from './values-at.ts'
import type { Walk } from './walk.ts'

/** The items of a parallel loop write apart from each other, and what they write is merged. */
export function sideBySide(walk: Walk, checked: CheckedNode): Ends {
  loop(walk, checked)
  const any = walk.blurred(checked)
  return { success: any, failure: any }
}

/** The second round of a loop comes after what the first has written. */
export function loop(walk: Walk, checked: CheckedNode): Ends {
  const [child] = checked.children
  const { manifest, params } = checked.node
  if (child === undefined) return walk.unknown(checked)
  const { success, failure } = walk.apart((mark): Ends => {
    walk.blur(child, 1)
    if (manifest.type === 'for_each') walk.values.write(textOf(params.item_key))
    if (manifest.type === 'for_each' && params.index_key !== undefined) walk.values.write(textOf(params.index_key))
    const body = walk.visit(child)
    return { success: body.success && walk.after(body.success, mark), failure: body.failure && walk.after(body.failure, mark) }
  })
  if (manifest.type === 'retry') return { success, failure }
  if (manifest.type === 'for_each') return afterEach(walk, checked, { success, failure })
  const { until_success, until_failure, count } = params
  const done = [until_success === true || count !== undefined ? success : undefined, until_failure === true ? failure : undefined]
  const isFailing = until_failure !== true && until_success !== true
  const counted = count !== undefined ? failure : undefined
  return {
    success: done.reduce<Delta | undefined>((a, b) => walk.values.either(a, b), counted),
    failure: isFailing ? failure : undefined,
  }
}

/** The keys of the item are gone after the last one. An empty collection changes nothing. */
function afterEach(walk: Walk, { node }: CheckedNode, { success, failure }: Ends): Ends {
  const gone = [node.params.item_key, node.params.index_key].flatMap((key) => (key === undefined ? [] : [textOf(key)]))
  const ended = (delta: Delta): Delta =>
    walk.apart((mark) => {
      walk.values.apply(delta)
      for (const key of gone) walk.values.remove(key)
      return walk.values.since(mark)
    })
  const nothing = { ...NO_CHANGE, keys: new Map(gone.map((key) => [key, { domain: NIL, isMissing: true, isWritten: false }])) }
  const any = walk.values.either(success && ended(success), nothing)
  // With continue_on_failure a failed item is passed over.
  return {
    success: node.params.continue_on_failure === true ? walk.values.either(any, failure && ended(failure)) : any,
    failure: walk.values.either(failure && ended(failure), nothing),
  }
}

/** The condition is evaluated with each tick, also after the child has written. */
export function guard(walk: Walk, checked: CheckedNode): Ends {
  const [child] = checked.children
  return walk.apart((mark) => {
    if (child !== undefined) walk.blur(child, 1)
    const truth = walk.conditions.judgeParameter(checked)
    const refused = truth.canBeFalse ? walk.apart(() => (truth.assume(false) ? walk.values.since(mark) : undefined)) : undefined
    if (child === undefined || !truth.canBeTrue || !truth.assume(true)) {
      walk.values.undo(mark)
      return { success: undefined, failure: refused }
    }
    const { success, failure } = walk.visit(child)
    const [done, failed] = [success && walk.after(success, mark), failure && walk.after(failure, mark)]
    walk.values.undo(mark)
    return { success: done, failure: walk.values.either(failed, refused) }
  })
}
