import { EXPRESSION, list, number, text } from './fields.ts'

/** The format of manifests that this version reads. */
export const SCHEMA = 'reflex.capability/1'
/** A name of a slot, an output or a step. */
export const NAME = /^[a-z][a-z0-9_]{0,47}$/
/** A path of the blackboard that a skill can read. */
export const BOARD_PATH = /^(?:ctx|env|work)(?:\.[a-z0-9_]{1,60}){1,6}$/
/** A path of the blackboard that a skill can write. */
export const WORK_PATH = /^work(?:\.[a-z0-9_]{1,60}){1,6}$/
/** The id of a skill. */
export const SKILL_ID = /^[a-z][a-z0-9_]*(?:\.[a-z][a-z0-9_]*){0,7}$/

/** The forms that several fields have. */
export const NAME_TEXT = text(48, { pattern: NAME, what: 'a name: lower-case letters, digits and underscores, a letter first' })
export const READ_PATH = text(400, { pattern: BOARD_PATH, what: 'a path such as ctx.name or work.image.tag' })
export const WRITE_PATH = text(400, { pattern: WORK_PATH, what: 'a path such as work.image_tag' })
export const TOOL = text(120, { least: 1, what: 'the name of a tool, or kind:id of a program' })
export const RATE = number(0, 1)
export const EXPRESSIONS = list(EXPRESSION, 16)
