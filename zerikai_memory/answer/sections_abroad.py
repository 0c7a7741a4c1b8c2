"""Words that ask for sections of the brief in other languages: welche Architektur hat das Projekt, 项目的架构是什么."""

from __future__ import annotations

import re
from collections.abc import Mapping

from zerikai_memory.answer.about import PROJECT

# In a plain question: lower case, no accents. Words that are English too stand in `sections`.
_FORMS: Mapping[str, tuple[str, ...]] = {
    "Overview": (
        r"uberblick|(?:projekt)?ubersicht|vue d ensemble|apercu|(?:vision|descripcion) general|resumen|visao geral|"
        r"panoramica|descrizione generale|overzicht|обзор\w*|описани\w+",
        r"(?:was (?:macht|ist|tut)|worum geht es (?:in|bei)|beschreibe|que hace|que es|de que trata|que fait|"
        r"qu est ce que|"
        r"decris|o que (?:faz|e)|cosa fa|cos e|che cosa (?:fa|e)|wat (?:doet|is)|что (?:такое|делает)) "
        rf"(?:das |dieses |diesem |el |este |le |ce |o |il |questo |het |dit |этот )?(?:projekte?s?|proyecto|projet|"
        rf"projeto|"
        rf"progetto|project|проект|{PROJECT})",
        r"расскажи(?:те)? об? (?:этом )?проекте",
    ),
    "Technical Stack": (
        r"technologien|technologie stack|technik stack|abhangigkeiten|programmiersprachen?|technologies|dependances|"
        r"langages?(?: de programmation)?|tecnologias|dependencias|lenguajes?(?: de programacion)?|linguagens?|"
        r"linguagens? de programacao|tecnologie|dipendenze|linguagg(?:io|i)(?: di programmazione)?|technologieen|"
        r"afhankelijkheden|programmeerta(?:al|len)|технологи\w+|зависимост\w+|язык\w* программирования|"
        r"стек\w* технологий",
    ),
    "Core Architecture": (
        r"(?:software|system|projekt|gesamt|code)?architektur|(?:projekt|code|ordner|verzeichnis)?struktur|"
        r"(?:projekt)?aufbau|arquitec?tura|estructura|estrutura|architettura|struttura|(?:software)?architectuur|"
        r"(?:project|code)?structuur|opbouw|архитектур\w*|структур\w*|"
        rf"structure (?=(?:du|de|de la|de l|de ce|de cette) (?:projet|code|depot|application|{PROJECT}))",
        r"aufgebaut|strukturiert|organisiert|gegliedert|estructurad[oa]|organizad[oa]|estruturad[oa]|"
        r"structuree?(?= ?$)|"
        r"organisee?(?= ?$)|strutturat[oa]|organizzat[oa]|opgebouwd|gestructureerd|georganiseerd|устроен\w*|"
        r"организован\w*",
    ),
    "Primary Conventions": (
        r"(?:namens|code|coding|programmier)? ?konvention(?:en)?|(?:code|coding|programmier) ?(?:richtlinien|stil)|"
        r"convencion(?:es)?(?: de (?:codigo|nombres|codificacion))?|convenc(?:ao|oes)(?: de (?:codigo|"
        r"nomenclatura))?|"
        r"convenzion[ei]|conventies?|codeerstijl|соглашени\w+|стил\w+ кода|estilo de codigo|style de code|"
        r"stile (?:del|di) codice|conventions de (?:code|nommage)",
    ),
    "Purpose": (
        r"zweck|proposito|scopo|назначени\w+|цел[ьи]|doel|objetivo|obiettivo|finalidade|finalite|objectif|"
        r"but (?=d(?:u|e) )|a quoi sert|para que s[ei]e?rve|a (?:che )?cosa serve|wozu dient|waarvoor dient",
        rf"waar is (?:dit |het )?{PROJECT} voor|(?:для чего|зачем) (?=этот проект|нужен|проект|"
        rf"{PROJECT})",
    ),
    "Key Files": (
        r"(?:wichtig\w+|zentrale\w*) dateien|hauptdateien|(?:einstiegs|einsprungs?)punkte?|archivos (?:principales|"
        r"importantes|clave)|puntos? de entrada|arquivos (?:principais|importantes)|pontos? de entrada|"
        r"file (?:principali|importanti|chiave)|punt[oi] (?:di|d) (?:ingresso|entrata)|"
        r"fichiers (?:principaux|importants|cles?)|points? d entree|(?:belangrijk\w+|hoofd) ?bestanden|"
        r"ingangspunt\w*|"
        r"(?:основн|главн|важн|ключев)\w+ файл\w*|точк\w+ входа",
    ),
    "Data Flow": (
        r"datenflu(?:ss|sse|sses)|flu[jx]o de (?:los |os )?da[dt]os|flusso (?:di|dei) dati|flux de(?:s)? donnees|"
        r"gegevensstroom|datastroom|поток\w* данных",
    ),
    "Development & Testing": (
        r"wie (?:fuhre|lasse|lass|starte|teste|installiere|baue|entwickle) (?:ich|wir|man)|wie (?:fuhrt|startet|"
        r"lasst) man|"
        r"tests? (?:ausfuhren|starten|laufen)|(?:projekt|software) (?:installieren|bauen|testen|starten)|"
        r"como (?:se )?(?:ejecut\w+|corr\w+|lanz\w+|instal\w+|construy\w+|prueb\w+|execut\w+|rod[ao]r?|test[ao]r?)|"
        r"(?:ejecutar|correr|executar|rodar) (?:las |los |os )?(?:pruebas|tests|testes)|"
        r"come (?:si )?(?:esegu\w+|lanci\w+|install\w+|costru\w+|compil\w+)|eseguire i test|"
        r"comment (?:je |on )?(?:lanc\w+|execut\w+|install\w+|construi\w+|compil\w+|test\w+|faire tourner)|"
        r"(?:lancer|executer) les tests|hoe (?:voer|draai|start|test|installeer|bouw) (?:ik|je|we)|"
        r"tests (?:uitvoeren|draaien)|"
        r"как (?:запуст\w+|запуск\w+|установ\w+|собра\w+|тестиров\w+)(?: тесты)?",
    ),
    "Future Roadmap": (
        r"fahrplan|hoja de ruta|feuille de route|roteiro|tabella di marcia|дорожн\w+ карт\w+|план\w* развития|"
        r"routekaart",
    ),
}
ASKED_ABROAD: Mapping[str, str] = {name: rf"\b(?:{'|'.join(forms)})\b" for name, forms in _FORMS.items()}

# Words around them in those languages, beside function words, that ask for nothing else.
AROUND_ABROAD = frozenset(
    "l d projekt projekts projektes projekte codebasis quellcode anwendung programm beschreibe erklare erklar zeige "
    "zeig nenne bitte verwendet benutzt genutzt gelten folgt hier gesamte ganze testsuite projet depot decris "
    "explique montre donne utilise utilisees utilises suit stp svp plait generale globale ici proyecto codigo "
    "repositorio aplicacion describe explica muestra dame usa usan utiliza utilizan sigue general favor aqui "
    "pruebas projeto aplicacao descreva mostre usadas usados segue geral testes progetto codice applicazione "
    "descrivi spiega mostra usate usati favore broncode toepassing beschrijf leg uit toon gebruikt gelden volgt "
    "alsjeblieft hele algemene проект проекта проекту проекте проектом код кода коде приложения приложение "
    "репозитория опиши объясни покажи расскажи используются используется общая пожалуйста этого этом этот здесь "
    "тесты мне есть base gefolgt test tests mir kannst konntest erklaren geben gib mal dieses diesem dieser nutzt "
    "nutzen moi toi peux peut pouvez montrer expliquer explicame dime muestrame puedes explicar sobre diga pode "
    "dimmi spiegami puoi mij kun какова каков каково какой какие приняты ли можешь расскажите объяснить".split()
)

# `_` is a blank, which not everybody writes.
_UNSPACED: Mapping[str, str] = {
    "Development & Testing": (
        "如何运行测试 怎么运行测试 怎样运行测试 如何执行测试 怎么执行测试 怎么跑测试 如何跑测试 测试如何运行 "
        "运行测试 跑测试 执行测试 怎么测试 如何测试 怎么运行 如何运行 怎么安装 如何安装 怎么构建 如何构建 "
        "测试怎么运行 テストの実行方法 テストを実行 テストの実行 テストはどう実行 インストール方法 ビルド方法 "
        "実行方法 セットアップ方法 開発環境 开发环境 테스트_실행 테스트를_실행 테스트는_어떻게_실행 설치_방법 "
        "빌드_방법 실행_방법 설치하 빌드하 テストはどうやって実行 テストはどのように実行 テストを動か "
        "테스트를_어떻게_실행 테스트_방법 怎样运行 怎样安装 怎么开发 如何开发"
    ),
    "Technical Stack": (
        "技术栈 技術棧 技術スタック 使用技術 依赖项 依赖 依賴 依存関係 依存ライブラリ 编程语言 技术 "
        "プログラミング言語 기술_스택 기술스택 의존성 프로그래밍_언어 什么技术 哪些技术 技術 기술"
    ),
    "Core Architecture": (
        "架构 架構 结构 結構 構造 構成 アーキテクチャー アーキテクチャ 总体设计 整体设计 全体設計 設計 "
        "아키텍처 구조 구성 组成 怎么组织的 如何组织 怎样组织 组织方式"
    ),
    "Primary Conventions": (
        "编码规范 代码规范 代码风格 命名规范 命名约定 约定 約定 规范 規範 コーディング規約 命名規則 規約 慣例 "
        "コーディングスタイル 코딩_컨벤션 컨벤션 코딩_규칙 코딩_스타일 명명_규칙 관례"
    ),
    "Purpose": "目的 用途 목적 有什么用 做什么用 何のため",
    "Key Files": (
        "主要文件 关键文件 重要文件 重要的文件 核心文件 入口文件 入口点 入口 主要ファイル 主要なファイル "
        "重要なファイル エントリーポイント エントリポイント 주요_파일 핵심_파일 중요한_파일 진입점 "
        "엔트리포인트 엔트리_포인트"
    ),
    "Data Flow": "数据流向 数据流 資料流 データフロー データの流れ 데이터_흐름 데이터_플로우",
    "Future Roadmap": "路线图 路線圖 ロードマップ 로드맵",
    "Overview": (
        "概述 概览 概要 总览 简介 是做什么的 做什么用的 是干什么的 是什么项目 何をする 何をします 개요 소개 "
        "무엇을_하 뭐_하는 介绍 について教えて"
    ),
}
_PROJECTS_UNSPACED = (
    "这个项目 本项目 该项目 此项目 项目 專案 プロジェクト リポジトリ コードベース 프로젝트 저장소 코드베이스"
)
_AROUND_UNSPACED = (
    "工程 仓库 代码库 代码 程序 软件 应用 这个 这 該 个 该 本 此 的 是什么样的 是什么 什么样 什么 怎么样 怎样 "
    "如何 怎么 有哪些 有 哪些 哪个 哪 请问 请 介绍 一下 说明 解释 描述 告诉我 整体 总体 主要 核心 使用 用 了 吗 "
    "呢 里 中 在 我们 它 遵循 采用 组织 是 我 要 这里 このプロジェクト ソースコード コード アプリケーション "
    "アプリ ソフトウェア この その の は を が に で と も 何 なに なん どんな どのような どのように どう です "
    "でしょう ます か ください 教えて 説明 して する なって いる います 全体 ある あり 使われて 使って されて "
    "どこ 主な 코드 애플리케이션 이 그 저 의 은 는 가 을 를 에서 에 으로 로 어떻게 무엇 뭐 뭔 무슨 어떤 인가요 "
    "인가 입니까 이에요 예요 야 되어 돼 있나요 있습니까 있는 알려 주세요 주 줘 설명해 설명 해 사용 하나요 하는 "
    "합니까 하는지 되나요 됩니까 나요 전체 방법 하 다 요 지 나 どうやって どれ 実行 します し 어디 무엇이 있"
)
_SIGNS = re.compile(r"[\s\W]+")


def section_unspaced(text: str) -> str | None:
    """The section that a plain question in Chinese, Japanese or Korean asks for and nothing else; None for another."""
    solid = _PROJECTS.sub(" ", text.replace(PROJECT, " "))
    for name, pattern in _PATTERNS_UNSPACED.items():
        rest = pattern.sub(" ", solid)
        if rest != solid and not _SIGNS.sub("", _FILLED.sub(" ", rest)):
            return name
    return None


def _any(terms: str) -> re.Pattern[str]:
    """Any of the terms, the longest first; `_` is a blank in a term, which not everybody writes."""
    found = sorted(terms.split(), key=len, reverse=True)
    return re.compile("|".join(re.escape(term).replace("_", " ?") for term in found))


_PATTERNS_UNSPACED = {name: _any(terms) for name, terms in _UNSPACED.items()}
_PROJECTS, _FILLED = _any(_PROJECTS_UNSPACED), _any(_AROUND_UNSPACED)
