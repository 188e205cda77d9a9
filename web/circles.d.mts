export function graph(folder: string): Map<string, string[]>;
export function circles(imports: Map<string, string[]>): string[][];
