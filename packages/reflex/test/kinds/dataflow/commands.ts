import { noSandbox } from '../../tools/workshop.ts'

/** The reason why no process can be started here, if none can. */
export const withoutCommands = await noSandbox()
/** Ends the name of a test that needs processes. */
export const reason = withoutCommands === undefined ? '' : ` (skipped: ${withoutCommands})`
