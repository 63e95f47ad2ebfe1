import type { PictureLine } from '../programs/kind-view.ts'
import { countCells } from '../text/index.ts'
import { layoutRow } from './layout.ts'
import type { Look } from './look.ts'
import { duration } from './units.ts'
import { counted } from '../protocol/plain.ts'

/** The column where the text of nodes begins at the latest. */
const LAST_COLUMN = 34

/** Returns the nodes of a program with their states as lines. The text of all nodes begins in one column. */
export function pictureRows(picture: readonly PictureLine[], look: Look): string[] {
  const widest = Math.max(0, ...picture.map(({ depth, node }) => 2 * depth + countCells(look.text(node))))
  const column = Math.min(LAST_COLUMN, Math.max(18, widest + 6))
  return picture.flatMap(({ depth, mark, node, text, ms }) =>
    layoutRow(
      { depth, mark, node, column, facts: ms === undefined ? [] : [duration(ms)], ...(text === undefined || text === '' ? {} : { text }) },
      look,
    ),
  )
}

/**
 * Returns at most so many lines of a picture, for a block that is redrawn. Of a larger program it shows the nodes at work, those beside them and
 * those at the top.
 */
export function fittingRows(picture: readonly PictureLine[], look: Look, most: number): string[] {
  const all = pictureRows(picture, look)
  if (all.length <= most) return all
  const shown = pictureRows(aroundWork(picture), look)
  if (shown.length <= most) return shown
  const rest = shown.length - most + 1
  return [...shown.slice(0, Math.max(0, most - 1)), look.paint('dim', look.text(`  … ${counted(rest, 'line')} more; reflex show`))]
}

/** Returns the nodes at the top, and those whose parent is at work. */
function aroundWork(picture: readonly PictureLine[]): PictureLine[] {
  const above: PictureLine[] = []
  return picture.filter((line) => {
    above.length = line.depth
    const parent = above.at(-1)
    above.push(line)
    return line.depth < 2 || parent?.mark === 'running' || parent?.mark === 'waits'
  })
}
