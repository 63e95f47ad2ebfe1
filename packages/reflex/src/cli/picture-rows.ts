import type { PictureLine } from '../programs/kind-view.ts'
import { layoutRow } from './layout.ts'
import type { Look } from './look.ts'
import { duration } from './units.ts'

/** Returns the nodes of a program with their states as lines. */
export function pictureRows(picture: readonly PictureLine[], look: Look): string[] {
  return picture.flatMap(({ depth, mark, node, text, ms }) =>
    layoutRow(
      { depth, mark, node, facts: ms === undefined ? [] : [duration(ms)], ...(text === undefined || text === '' ? {} : { text }) },
      look,
    ),
  )
}
