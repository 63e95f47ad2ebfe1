import type { LanguageNames } from '../../../programs/language.ts'

/** Turns have no files: a program that wraps an agent starts them. */
export const turnNames: LanguageNames = { endings: [], owns: () => false }
