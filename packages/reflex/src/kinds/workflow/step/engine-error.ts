import { Fault, type FaultDetails } from '../../../kernel/index.ts'

/** A failure of the engine itself, with the name of the seed's API (reference workflow 7). */
export class EngineError extends Fault {
  override readonly name: string = 'EngineError'

  constructor(message: string, details: FaultDetails & { readonly code?: string } = {}) {
    super(details.code ?? 'R2057', message, details.verdict ?? 'fail', details)
  }
}
