import type { Banks } from './banks.ts'
import { type Operation, ROW } from './operation.ts'
import type { Row, Slot } from './program.ts'

/** Computes the rows of a segment. The result is NaN if a number is not finite. */
export type SegmentCode = (banks: Banks) => number

/**
 * Returns the rows of a segment as loops, one for each group of rows of one operation: of the operations with rows whose operands are computed,
 * the one with the most such rows is next. Rows that become computable in a loop of their operation join it.
 */
export function groupedCode(rows: readonly Row[]): SegmentCode {
  const groups = groupsOf(rows).map((group) => ({ loop: (group[0] as Row).operation.loop, slots: slotsOf(group) }))
  return (banks) => {
    let poison = 0
    for (const { loop, slots } of groups) poison += loop(banks, slots)
    return poison
  }
}

function slotsOf(rows: readonly Row[]): Int32Array {
  const slots = new Int32Array(rows.length * ROW)
  rows.forEach(({ out, operands }, i) => {
    slots[i * ROW] = out.at
    operands.forEach((operand, j) => {
      slots[i * ROW + 1 + j] = operand.at
    })
  })
  return slots
}

function groupsOf(rows: readonly Row[]): Row[][] {
  const { waiting, users } = dependencies(rows)
  const ready = new Map<Operation, Row[]>()
  const offer = (row: Row) => {
    const queue = ready.get(row.operation)
    if (queue === undefined) ready.set(row.operation, [row])
    else queue.push(row)
  }
  for (const row of rows) if ((waiting.get(row) ?? 0) === 0) offer(row)
  const groups: Row[][] = []
  while (ready.size > 0) {
    const [operation, group] = [...ready].reduce((most, each) => (each[1].length > most[1].length ? each : most))
    // The group grows while it is walked.
    for (const row of group) {
      for (const user of users.get(row.out) ?? []) {
        const left = (waiting.get(user) ?? 0) - 1
        waiting.set(user, left)
        if (left === 0) offer(user)
      }
    }
    ready.delete(operation)
    groups.push(group)
  }
  return groups
}

/** Returns how many operands of each row are computed in the segment, and the rows that use each of its results. */
function dependencies(rows: readonly Row[]): { waiting: Map<Row, number>; users: Map<Slot, Row[]> } {
  const users = new Map<Slot, Row[]>(rows.map(({ out }) => [out, []]))
  const waiting = new Map<Row, number>()
  for (const row of rows) {
    const inside = row.operands.filter((operand) => users.has(operand))
    for (const operand of inside) users.get(operand)?.push(row)
    waiting.set(row, inside.length)
  }
  return { waiting, users }
}
