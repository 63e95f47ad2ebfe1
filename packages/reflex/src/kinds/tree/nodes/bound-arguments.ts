import { isObject, type Json } from '../../../kernel/index.ts'
import type { NodeBoard } from '../manifest/behaviour.ts'
import { textOf } from '../model/text-of.ts'

/** Returns the arguments of a function: those that are written, and those of `inputs`, each with the value of its key. */
export function boundArguments(board: NodeBoard, args: Json | undefined, inputs: Json | undefined): Json {
  if (inputs === undefined || !isObject(inputs)) return args ?? null
  const read = Object.entries(inputs).flatMap(([name, key]): [string, Json][] => {
    const value = board.get(textOf(key))
    return value === undefined ? [] : [[name, value]]
  })
  return { ...(args !== undefined && isObject(args) ? args : {}), ...Object.fromEntries(read) }
}
