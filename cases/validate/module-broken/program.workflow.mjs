import { reader } from 'reflex-runtime/workflow/readers'

export const program = reader('x')
