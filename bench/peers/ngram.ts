import { nGram } from 'n-gram'
import type { WordsOf } from '../mining/mapped-words.ts'

/** The words of a list, by the package `n-gram`. */
export const ngramWords: WordsOf = (length) => (list) => nGram(length)([...list]) as string[][]
