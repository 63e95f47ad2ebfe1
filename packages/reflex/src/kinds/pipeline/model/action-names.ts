import { uri } from './capability-uris.ts'

/** The name of an action without the points that some write: `file.write` is `file_write` (reference pipeline 4.5). */
export function plainAction(name: string): string {
  return name.trim().replaceAll('.', '_')
}

/** The capability of an action. */
export function actionCapability(name: string): string {
  return uri('action', plainAction(name))
}
