import type { Fault } from '../../../../kernel/index.ts'
import type { Source } from '../../../../text/index.ts'
import { faults } from '../../model/faults.ts'
import { placeOf } from './elements.ts'
import type { ReadTree, SubtreeUse, TreeScope } from './tree-scope.ts'

/**
 * Connects SubTrees with their trees: the keys that are passed to a tree are declared in it, and `_autoremap` connects every key of the subtree
 * that is not connected otherwise, also through several levels.
 */
export function connectByName(trees: ReadonlyMap<string, ReadTree>): void {
  const uses = [...trees.values()].flatMap(({ scope }) => scope.subtrees.map((use) => ({ scope, use })))
  for (let isChanged = true; isChanged; ) {
    isChanged = false
    for (const { scope, use } of uses) {
      const callee = trees.get(use.id)?.scope
      if (callee !== undefined && connect(scope, use, callee)) isChanged = true
    }
  }
  for (const { keys, bind, exports } of uses.map(({ use }) => use)) {
    if (bind.size > 0) keys.set('bind', Object.fromEntries(bind))
    keys.set('export', Object.fromEntries(exports))
  }
}

/** Returns true if a key was connected that was not before. */
function connect(caller: TreeScope, { bind, exports, given, isAutomatic }: SubtreeUse, callee: TreeScope): boolean {
  let isChanged = false
  for (const key of [...bind.keys(), ...given]) if (!callee.keys.has(key)) callee.use(key)
  for (const [key, type] of isAutomatic ? callee.keys : []) {
    if (bind.has(key) || given.includes(key) || exports.has(key)) continue
    bind.set(key, key)
    exports.set(key, key)
    if (!caller.keys.has(key)) caller.use(key, type)
    isChanged = true
  }
  return isChanged
}

/** Returns a finding (R1232) for each SubTree that leads back to a tree that contains it. */
export function cycleFindings(trees: ReadonlyMap<string, ReadTree>, source: Source): Fault[] {
  const findings: Fault[] = []
  const done = new Set<string>()
  for (const start of trees.keys()) {
    // The trees from the start to the current one, each with the number of its SubTrees that were followed.
    const path: { readonly id: string; followed: number }[] = done.has(start) ? [] : [{ id: start, followed: 0 }]
    const open = new Set(path.map(({ id }) => id))
    for (let current = path.at(-1); current !== undefined; current = path.at(-1)) {
      const use = trees.get(current.id)?.scope.subtrees[current.followed]
      current.followed++
      if (use === undefined) {
        path.pop()
        open.delete(current.id)
        done.add(current.id)
      } else if (open.has(use.id)) {
        findings.push(cycleFault(use, cycleIn([...open], use.id), source))
      } else if (!done.has(use.id)) {
        path.push({ id: use.id, followed: 0 })
        open.add(use.id)
      }
    }
  }
  return findings
}

function cycleIn(path: readonly string[], id: string): readonly string[] {
  return [...path.slice(path.indexOf(id)), id]
}

function cycleFault({ element }: SubtreeUse, path: readonly string[], source: Source): Fault {
  const place = placeOf(source, element, 'ID')
  return faults.finding('R1232', `the tree refers to itself: ${path.join(' → ')}`, {
    ...place,
    rule: 'E3002',
    data: { cycle_path: [...path] },
  })
}
