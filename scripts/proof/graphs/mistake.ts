import type { Dice } from '../random.ts'
import type { DraftGraph } from './draft.ts'

/**
 * Makes a mistake in a graph, in place. Returns what is wrong, each as code and place; undefined where it does not apply. An empty list: it
 * looks like a mistake and is none.
 */
export type Mistake = (graph: DraftGraph, dice: Dice) => readonly string[] | undefined

export type Mistakes = Readonly<Record<string, Mistake>>
