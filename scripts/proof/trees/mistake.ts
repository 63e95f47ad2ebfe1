import type { TreeSource } from '../../../packages/reflex/src/kinds/tree/model/source.ts'
import type { Dice } from '../random.ts'
import type { DraftTree } from './draft.ts'

/**
 * Makes a mistake in a tree, in place. Returns what is wrong, each as code and place; undefined where it does not apply. `?R1282`: what else
 * is true of it then may have this code. `others`: the trees around it.
 */
export type Mistake = (tree: DraftTree, dice: Dice, others: TreeSource[]) => readonly string[] | undefined

export type Mistakes = Readonly<Record<string, Mistake>>
