import type { CheckedNode } from './subject.ts'
import type { Delta, Ends } from './values-at.ts'
import type { Walk } from './walk.ts'

/** The most ways out of a composite that are kept apart. */
const MOST_WAYS = 64

/** Children one after another, until one stops. */
export function inOrder(walk: Walk, checked: CheckedNode, goesOn: 'success' | 'failure'): Ends {
  const { type } = checked.node.manifest
  const stops = goesOn === 'success' ? 'failure' : 'success'
  let isReached = true
  const [through, ends] = walk.apart((mark): [Delta, Delta[]] => {
    const ways: Delta[] = []
    // Each tick begins at the first child, after what later ones have written.
    if (type.startsWith('reactive')) walk.blur(checked, 1)
    for (const child of checked.children) {
      if (type.endsWith('with_memory') && child.place > 0) walk.blur(checked)
      const result = walk.visit(child)
      const stop = result[stops]
      if (stop !== undefined && ways.length < MOST_WAYS) ways.push(walk.after(stop, mark))
      const next = result[goesOn]
      isReached = next !== undefined
      if (next === undefined) break
      walk.values.apply(next)
    }
    return [walk.values.since(mark), ways]
  })
  const stopped =
    ends.length >= MOST_WAYS ? walk.blurred(checked) : ends.reduce<Delta | undefined>((all, way) => walk.values.either(all, way), undefined)
  const passed = isReached ? through : undefined
  return goesOn === 'success' ? { success: passed, failure: stopped } : { success: stopped, failure: passed }
}

/** One of two branches, by the answer of the first child. */
export function choice(walk: Walk, checked: CheckedNode): Ends {
  const [test, then, otherwise] = checked.children
  if (test === undefined) return walk.unknown(checked)
  return walk.apart((mark) => {
    if (checked.node.manifest.type === 'while_do_else') walk.blur(checked, 1)
    const answer = walk.visit(test)
    const branch = (entry: Delta | undefined, child: CheckedNode | undefined): Ends => {
      if (entry === undefined) return { success: undefined, failure: undefined }
      return walk.apart(() => {
        walk.values.apply(entry)
        if (child === undefined) return { success: undefined, failure: walk.values.since(mark) }
        const { success, failure } = walk.visit(child)
        return { success: success && walk.after(success, mark), failure: failure && walk.after(failure, mark) }
      })
    }
    const [first, second] = [branch(answer.success, then), branch(answer.failure, otherwise)]
    walk.values.undo(mark)
    return walk.either(first, second)
  })
}

/** Children that do not see each other, and what their merge leaves. */
export function parallel(walk: Walk, checked: CheckedNode): Ends {
  const { policy } = checked.node.params
  const ends = checked.children.map((child) => walk.conditions.inChild(child, () => walk.visit(child)))
  const isAll = policy === 'require_all'
  if (isAll && ends.some(({ success }) => success === undefined)) return { success: undefined, failure: walk.blurred(checked) }
  const success = walk.apart((mark) => {
    walk.blur(checked)
    // The values of several writers are merged: only that there is one is known.
    for (const [i, { success: delta }] of isAll ? ends.entries() : []) {
      const { keys, isOpaque } = walk.writesOf(checked.children[i])
      for (const key of keys) {
        const known = delta?.keys.get(key)
        if (known === undefined ? isOpaque : !known.isMissing) walk.values.write(key)
      }
    }
    return walk.values.since(mark)
  })
  return { success, failure: walk.blurred(checked) }
}
